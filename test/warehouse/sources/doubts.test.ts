import { expect, it } from 'vitest';
import { settles } from '../../../domain/months/settlement.ts';
import { sourceMonths } from '../../../warehouse/sources/coverage.ts';
import { dailyUnitCosts } from '../../../warehouse/events/daily-unit-costs.ts';
import { decideUnit } from '../../../warehouse/sources/units/unit-decisions.ts';
import { computeSpend } from '../../../warehouse/spend/compute-spend.ts';
import { createTeam } from '../../../warehouse/teams/teams.ts';
import { sealBills } from '../../../warehouse/teams/bills/bill-sealing.ts';
import { monthBills } from '../../../warehouse/teams/bills/bills.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { january, newMonthStory, type MonthStory } from '../months/month-story.ts';

const SENTENCE = 'cost source "Bill" has a row without an amount';

describeOnBothEngines('a doubt about what a source has brought', (open) => {
  const test = withOpened(open);

  /** Returns January with 310 of spend, 31 orders, and a doubt of 7 about its load. */
  const doubtedStory = async (): Promise<MonthStory> => {
    const story = await newMonthStory(test);
    await story.changeSource({ name: 'Bill' });
    await spendJanuary(story);
    await story.values({ '2026-01-31': 31 });
    await test.warehouse.run(
      `INSERT INTO load_doubts BY NAME
       SELECT org_id, source_id, load_id, billing_period, DATE '2026-01-01' AS month, 'rejected_rows' AS code,
         NULL AS unit, 'has a row without an amount' AS phrase, 7::DECIMAL(38,15) AS amount
       FROM current_loads WHERE org_id = $org AND billing_period = DATE '2026-01-01'`,
      { org: story.orgId },
    );
    return story;
  };

  const spendJanuary = (story: MonthStory, now = NOW) =>
    story.spend(
      Object.fromEntries(
        Array.from({ length: 31 }, (_, day) => [`2026-01-${String(day + 1).padStart(2, '0')}`, '10']),
      ),
      story.source.id,
      now,
    );

  it('keeps the month open with its amount, and a lock must accept it', async () => {
    const story = await doubtedStory();
    expect(await story.settle()).toEqual([]);
    expect(await january(story)).toMatchObject({
      status: 'open',
      cost: 310,
      unit_cost: 10,
      reason: SENTENCE,
      can_lock: 'without_missing',
      missing: [{ code: 'rejected_rows', sentence: SENTENCE, amount: 7 }],
    });
    await expect(story.lock('2026-01')).rejects.toThrow(SENTENCE);
    expect(await story.lock('2026-01', NOW, true)).toMatchObject({ status: 'locked', missing: [] });
    expect(await story.versions('2026-01')).toMatchObject([{ version: 1, missing: [SENTENCE] }]);
  });

  it('ends with a load that has no doubt', async () => {
    const story = await doubtedStory();
    await spendJanuary(story);
    expect(await story.settle()).toEqual(['2026-01']);
    expect(await january(story)).toMatchObject({ status: 'ready_to_lock', missing: [], can_lock: 'now' });
  });

  it('reopens a settled month that is not locked', async () => {
    const story = await newMonthStory(test);
    await spendJanuary(story);
    await story.values({ '2026-01-31': 31 });
    expect(await story.settle()).toEqual(['2026-01']);
    expect((await january(story)).status).toBe('ready_to_lock');
    await test.warehouse.run(
      `INSERT INTO month_doubts BY NAME
       SELECT org_id, month, computation_id, $source AS source_id, 'rejected_rows' AS code,
         NULL AS unit, 'has a row without an amount' AS phrase, NULL AS amount
       FROM current_computations WHERE org_id = $org AND month = DATE '2026-01-01'`,
      { org: story.orgId, source: story.source.id },
    );
    expect(await january(story)).toMatchObject({ status: 'open', missing: [{ amount: null }] });
  });

  it('keeps bills estimates, and leaves the days of the month out of the daily unit costs', async () => {
    const story = await doubtedStory();
    await createTeam(test.warehouse, story.orgId, { name: 'Search', ownership: [] }, BY_ADMIN);
    await story.settle();
    const { on } = await sealBills(test.warehouse, story.orgId, NOW);
    await test.warehouse.session(async (session) => {
      const [, bills] = await monthBills(on(session), story.orgId, { newest: '2026-01', count: 1 });
      expect(bills).toMatchObject({
        status: 'estimate',
        holdingBack: [{ sentence: SENTENCE, amount: '7.000000000000000' }],
      });
    });
    const days = async () => {
      const spend = await computeSpend(test.warehouse, story.orgId, NOW);
      return test.warehouse.session((session) =>
        dailyUnitCosts(spend.on(session), story.orgId, [story.metric.id], '2026-02-06'),
      );
    };
    expect(await days()).toEqual(new Map());
    await spendJanuary(story);
    expect([...(await days()).values()].flat().map(({ day }) => day)).toEqual(['2026-01-31']);
  });

  /** Returns whether January settles by what was known before a day. */
  const settled = async (story: MonthStory, asOf: string) => {
    const range = { first: '2026-01', last: '2026-01' };
    const sources = (await sourceMonths(test.warehouse, story.orgId, range, asOf)).get('2026-01') ?? [];
    return settles('2026-01', { settleDays: 5, sources }, asOf);
  };

  it('was there on an earlier day, so that the month settles by backfill', async () => {
    const doubted = await doubtedStory();
    expect(await settled(doubted, '2026-02-10')).toBe(false);
    // A load of 12 February ends the doubt.
    await spendJanuary(doubted, new Date('2026-02-12T06:00:00Z'));
    expect(await settled(doubted, '2026-02-10')).toBe(false);
    expect(await settled(doubted, '2026-02-13')).toBe(true);
  });

  it('was there until a person decided about it, so that the month settles by backfill', async () => {
    const story = await newMonthStory(test);
    const { warehouse } = test;
    await spendJanuary(story);
    await computeSpend(warehouse, story.orgId, NOW);
    await warehouse.run(
      `INSERT INTO month_doubts BY NAME
       SELECT org_id, month, computation_id, $source AS source_id, 'charges_twice' AS code,
         'aws/1111' AS unit, 'charges "aws/1111" twice' AS phrase, 310 AS amount
       FROM current_computations WHERE org_id = $org AND month = DATE '2026-01-01'`,
      { org: story.orgId, source: story.source.id },
    );
    const unit = { sourceId: story.source.id, unit: 'aws/1111' };
    const by = { ...BY_ADMIN, now: new Date('2026-02-12T06:00:00Z') };
    await decideUnit(warehouse, story.orgId, unit, { stands: true }, by);
    expect(await settled(story, '2026-02-10')).toBe(false);
    expect(await settled(story, '2026-02-13')).toBe(true);
  });
});
