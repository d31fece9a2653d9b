import { expect, it } from 'vitest';
import { as } from '../../support/service/api-client.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { withOpened } from '../../support/with-opened.ts';
import { importSteps } from '../../warehouse/imports/import-story.ts';
import { account, newTeamStory } from '../../warehouse/teams/team-story.ts';

/** The API keeps months in memory, so that each step must show what the runs have read meanwhile. It is 7 February 2026. */
describeOnBothEngines('months and bills of a connected metric', (open) => {
  const api = withOpened(() => startLocalApi({ open }));

  it('follow the runs of its import', async () => {
    const story = await newTeamStory(api);
    const admin = as(api, await api.newKey(story.orgId));
    const spend = ['01', '31'].map((day) => ({
      day: `2026-01-${day}`,
      cloud: 'aws',
      account: '4',
      cost: '50',
    }));
    await story.spend('2026-01', { cloud_spend: spend });
    const early = new Date('2026-01-05T06:00:00Z');
    const shop = await story.team('Shop', [], early);
    const requests = await story.metric({ frequency: 'daily' });
    const labels = { web: shop };
    await story.sharedCost('Platform', [account('4')], { type: 'metric', metric_id: requests.id, labels });
    const steps = importSteps(api, story.orgId, requests);
    const january = async () => {
      const months = await admin.get<{ month: string; status: string; missing: { code: string }[] }[]>(
        `/metrics/${requests.id}/months`,
      );
      const bills = await admin.get<{ month: string; status: string; waiting_for: string[] }[]>(
        `/teams/${shop}/bills`,
      );
      const of = { month: '2026-01' };
      return {
        month: expectData(months).find(({ month }) => month === of.month),
        bill: expectData(bills).find(({ month }) => month === of.month),
      };
    };
    await steps.connect(new Date('2026-01-10T06:00:00Z'));
    await steps.run([['2026-01-30', 'web', '40']], { at: '2026-01-31T05:45:00Z' });
    await story.settle();
    const unread = { status: 'open', missing: [{ code: 'import_behind' }] };
    expect(await january()).toMatchObject({
      month: unread,
      bill: { status: 'waiting', waiting_for: [expect.stringMatching(/was on 2026-01-31$/)] },
    });
    await steps.run([], { outcome: 'failed', at: '2026-02-02T05:45:00Z' });
    expect(await january()).toMatchObject({
      month: unread,
      bill: { status: 'waiting', waiting_for: [expect.stringContaining('the key was revoked')] },
    });
    const lock = `/metrics/${requests.id}/months/2026-01/lock`;
    expectError(await admin.post(lock), 409, /the key was revoked; send \{"accept_missing": true\}/);
    await steps.run([['2026-01-30', 'web', '40']]);
    expect(await january()).toMatchObject({
      month: { status: 'ready_to_lock', missing: [] },
      bill: { status: 'sealed', waiting_for: [], fully_loaded: 100 },
    });
    expectData(await admin.post(lock));
  });
});
