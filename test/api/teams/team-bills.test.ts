import { describe, expect, it, vi } from 'vitest';
import { settleMonths } from '../../../warehouse/months/settlement.ts';
import { as } from '../../support/service/api-client.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { NOW } from '../../support/warehouse/tenant.ts';
import { account, newTeamStory } from '../../warehouse/teams/team-story.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Temporal cannot be reached here, so that each requested evaluation leaves a line in the log. */
describe('a read that seals a bill', () => {
  const api = withOpened(startLocalApi);

  it('seals no bill for a team that is not there', async () => {
    const story = await newTeamStory(api);
    await story.team('Shop', [account('1')]);
    await story.spend('2026-01', {
      cloud_spend: ['01', '31'].map((day) => ({ day: `2026-01-${day}`, account: '1', cost: '10' })),
    });
    await settleMonths(api.warehouse, story.orgId, NOW);
    const reader = as(api, await api.newKey(story.orgId));
    for (const path of ['bills', 'bills/2026-01/versions'])
      expect(await reader.get(`/teams/team_none/${path}`)).toMatchObject({ status: 404 });
    const { seals } = (
      await api.warehouse.query<{ seals: number }>(
        'SELECT CAST(count(*) AS INTEGER) AS seals FROM bill_bases WHERE org_id = $org',
        { org: story.orgId },
      )
    )[0] ?? { seals: null };
    expect(seals).toBe(0);
  });

  it('requests the evaluation of events', async () => {
    const story = await newTeamStory(api);
    const secret = await api.newKey(story.orgId);
    const shop = await story.team('Shop', [account('1')]);
    await story.spend('2026-01', {
      cloud_spend: [
        { day: '2026-01-01', account: '1', cost: '300' },
        { day: '2026-01-31', account: '1', cost: '10' },
      ],
    });
    const bills = async () => {
      const response = await fetch(`${api.url}/api/v1/teams/${shop}/bills`, {
        headers: { 'x-api-key': secret },
      });
      const { data } = (await response.json()) as { data: { month: string; status: string }[] };
      return data.find(({ month }) => month === '2026-01')?.status;
    };
    const evaluations = () =>
      api.lines.filter(
        (line) =>
          line.includes(story.orgId) && line.includes('the evaluation of events could not be started'),
      ).length;

    expect(await bills()).toBe('estimate');
    expect(await settleMonths(api.warehouse, story.orgId, NOW)).toEqual(['2026-01']);
    expect(evaluations()).toBe(0);
    expect(await bills()).toBe('sealed');
    await vi.waitFor(
      () => {
        expect(evaluations()).toBeGreaterThan(0);
      },
      { timeout: WAIT_MS },
    );
  });
});
