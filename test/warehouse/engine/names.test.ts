import { describe, expect, it } from 'vitest';
import { updateCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { updateMetric } from '../../../warehouse/metrics/metrics.ts';
import { createSharedCost, SHARED_COSTS } from '../../../warehouse/teams/shared-costs.ts';
import { createTeam, TEAMS } from '../../../warehouse/teams/teams.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, newMetric, newOrganisation, newSource } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

type Change = { name: string } | 'delete';
interface Named {
  id: string;
  name: string;
}

describeOnBothEngines('names', (open) => {
  const test = withOpened(open);

  const KINDS: Record<
    string,
    {
      make: (org: string, name: string) => Promise<Named>;
      change: (org: string, id: string, change: Change) => Promise<Named | null>;
    }
  > = {
    metric: {
      make: (org, name) => newMetric(test.warehouse, org, { name }),
      change: (org, id, change) => updateMetric(test.warehouse, org, id, change, BY_ADMIN),
    },
    team: {
      make: (org, name) => createTeam(test.warehouse, org, { name, ownership: [] }, BY_ADMIN),
      change: (org, id, change) => TEAMS.change(test.warehouse, org, id, change, BY_ADMIN),
    },
    'shared cost': {
      make: async (org, name) => {
        const team = await createTeam(
          test.warehouse,
          org,
          { name: crypto.randomUUID(), ownership: [] },
          BY_ADMIN,
        );
        const split = { type: 'even' as const, team_ids: [team.id] };
        return createSharedCost(test.warehouse, org, { name, spend: [], split }, BY_ADMIN);
      },
      change: (org, id, change) => SHARED_COSTS.change(test.warehouse, org, id, change, BY_ADMIN),
    },
    'cost source': {
      make: (org, name) => newSource(test.warehouse, org, { name }),
      change: (org, id, change) => updateCostSource(test.warehouse, org, id, change, BY_ADMIN),
    },
  };

  describe.each(Object.entries(KINDS))('of a %s', (kind, { make, change }) => {
    const newOrg = async () => (await newOrganisation(test.warehouse)).id;

    it('are unique in an organisation, even if several requests come at once', async () => {
      const org = await newOrg();
      const first = await make(org, 'Shop');
      await expect(make(org, 'Shop')).rejects.toMatchObject({
        kind: 'conflict',
        message: `name: expected a name that no other ${kind} has, got "Shop", the name of ${first.id}`,
      });
      await make(org, 'shop'); // names differ by letter case
      await make(await newOrg(), 'Shop');
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => make(org, 'Twice')));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('can be changed to a free name, and are free after a deletion', async () => {
      const org = await newOrg();
      const [first, second] = [await make(org, 'Shop'), await make(org, 'Search')];
      await expect(change(org, second.id, { name: 'Shop' })).rejects.toThrow(
        `name: expected a name that no other ${kind} has, got "Shop", the name of ${first.id}`,
      );
      expect(await change(org, second.id, { name: 'Search' })).toMatchObject({ name: 'Search' });
      await change(org, first.id, 'delete');
      expect(await change(org, second.id, { name: 'Shop' })).toMatchObject({ name: 'Shop' });
      await make(org, 'Search');
    });
  });

  it('are equal if they look the same, and their holder can spell them differently', async () => {
    const { id: org } = await newOrganisation(test.warehouse);
    const cafe = await newMetric(test.warehouse, org, { name: 'Caf\u00e9 A B' });
    for (const name of [
      'Cafe\u0301 A B', // a combining accent
      'Caf\u00e9 A\u00a0B', // no-break space
      'Caf\u00e9  A \u2003 B', // several, one of them wide
      'Caf\u00e9 A B\u200b', // zero-width space
      '\ufeffCaf\u00e9 A\u2060 B ',
    ])
      await expect(newMetric(test.warehouse, org, { name })).rejects.toThrow(`the name of ${cafe.id}`);
    await newMetric(test.warehouse, org, { name: 'Cafe A B' });
    const respelt = { name: 'Cafe\u0301 A B' };
    expect(await updateMetric(test.warehouse, org, cafe.id, respelt, BY_ADMIN)).toMatchObject(respelt);
  });
});
