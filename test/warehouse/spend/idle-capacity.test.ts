import { expect, it } from 'vitest';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import { breakdownOf } from '../../support/warehouse/breakdown-of.ts';
import { pickWarnings } from '../../../warehouse/spend/picks/pick-warnings.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { account, inNumbers, namespace, newTeamStory, type TeamStory } from '../teams/team-story.ts';

const idleCluster = (cluster: string): SpendPick => ({ source: 'kubernetes', cluster, idle: true });
const idleHost = (host: string): SpendPick => ({ source: 'host', host, idle: true });

/**
 * January by hand (USD), 249 in all:
 *
 *   cluster prod: its node is billed 100 in account 1111; at its own prices shop 40, idle 30; so 60 beyond shop
 *   cluster edge: on no bill; kiosk 20, idle 5
 *   host db-1: on no bill; postgres 7, idle 3
 *   host db-2: its machine is billed 10 in account 1111; at its own price postgres 12; so −2 beyond it
 *   account 1111: another 104
 */
const DAY = '2026-01-31';
const line = (resource_id: string | null, cost: string) => ({
  day: DAY,
  cloud: 'aws',
  account: '1111',
  resource_id,
  cost,
});
const allocation = (cluster: string, name: string | null, cost: string) => ({
  day: DAY,
  cluster,
  namespace: name,
  workload: name && 'deployment/api',
  is_idle: name === null,
  cost,
});
const share = (host: string, service: string | null, cost: string, machine_id: string | null = null) => ({
  day: DAY,
  host,
  service,
  machine_id,
  cost,
});
const january = (story: TeamStory) =>
  story.spend('2026-01', {
    cloud_spend: [line('i-0a1', '100'), line('i-0b2', '10'), line(null, '104')],
    kubernetes_spend: [
      allocation('prod', 'shop', '40'),
      allocation('prod', null, '30'),
      allocation('edge', 'kiosk', '20'),
      allocation('edge', null, '5'),
    ],
    cluster_assets: [{ day: DAY, cluster: 'prod', kind: 'node', provider_id: 'i-0a1', cost: '70' }],
    host_spend: [
      share('db-1', 'postgres', '7'),
      share('db-1', null, '3'),
      share('db-2', 'postgres', '12', 'i-0b2'),
    ],
  });

describeOnBothEngines('idle capacity', (open) => {
  const test = withOpened(open);

  it('of clusters and hosts can have an owner, and adds up with the workloads to their full cost', async () => {
    const story = await newTeamStory(test);
    await january(story);
    const shop = await story.team('Shop', [namespace('shop'), account('1111')]);
    const kiosk = await story.team('Kiosk', [idleCluster('edge'), { source: 'host', host: 'db-2' }]);
    const owned = [idleHost('db-1'), idleHost('db-2')];
    const ops = await story.team('Ops', owned);
    await story.sharedCost('Headroom', [idleCluster('prod'), idleCluster('edge')], {
      type: 'even',
      team_ids: [shop, kiosk],
    });
    const teams = { Shop: shop, Kiosk: kiosk, Ops: ops };
    const month = await story.month();
    // The shared cost gets prod's 60, and edge's 5 although Kiosk picks it too. Each team gets half of 65.
    expect(inNumbers(month, teams)).toEqual({
      Shop: [144, 32.5, 176.5],
      Kiosk: [12, 32.5, 44.5],
      Ops: [1, 0, 1], // 3 − 2
      unallocated: 27, // kiosk 20 and db-1's postgres 7
    });
    expect(month.bills?.get(ops)?.by_source).toMatchObject({ hosts: '1.000000000000000' });
    const range = { start: '2026-01-01', end: '2026-01-31', limit: 1000, offset: 0 };
    const byTeam = await breakdownOf(test.warehouse, story.orgId, ['team', 'host'], range, NOW);
    expect(byTeam.map((row) => [row['team_name'], row['host'], Number(row.total)])).toEqual([
      ['Shop', null, 144],
      [null, null, 85], // Headroom 65, kiosk 20
      ['Kiosk', 'db-2', 12],
      [null, 'db-1', 7],
      ['Ops', 'db-1', 3],
      ['Ops', 'db-2', -2],
    ]);
    expect(await pickWarnings(test.warehouse, story.orgId, owned, NOW)).toEqual([]);
  });

  it('has an owner even in a month that other counting rules computed', async () => {
    const story = await newTeamStory(test);
    await january(story);
    const ops = await story.team('Ops', [idleCluster('edge')]);
    const misspelt = [idleCluster('egde')];
    await story.team('Other', misspelt);
    expect(await pickWarnings(test.warehouse, story.orgId, misspelt, NOW)).toEqual([
      'spend of kubernetes egde / idle has never been seen',
    ]);
    // Computed from the same loads by other rules, with idle capacity without a key.
    const org = { org: story.orgId };
    await test.warehouse.run(
      `INSERT INTO month_computations
       SELECT org_id, month, 'ffffffff-0000-7000-8000-000000000000', regexp_replace(made_of, '^[0-9]+', '0'), computed_at
       FROM current_computations WHERE org_id = $org`,
      org,
    );
    await test.warehouse.run(
      `INSERT INTO month_spend BY NAME
       SELECT org_id, month, 'ffffffff-0000-7000-8000-000000000000'::UUID AS computation_id, []::VARCHAR[] AS keys, cost
       FROM month_spend WHERE org_id = $org`,
      org,
    );
    expect(inNumbers(await story.month(), { Ops: ops })).toMatchObject({ Ops: [5, 0, 5] });
  });
});
