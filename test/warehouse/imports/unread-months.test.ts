import { describe, expect, it } from 'vitest';
import { addDays } from '../../../domain/shared/calendar.ts';
import { dailyUnitCosts } from '../../../warehouse/events/daily-unit-costs.ts';
import { updateOrganisation } from '../../../warehouse/organisations/organisations.ts';
import { computeSpend } from '../../../warehouse/spend/compute-spend.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';
import { dailyTeamCosts } from '../../../warehouse/teams/bills/daily-team-costs.ts';
import { account, inNumbers, newTeamStory } from '../teams/team-story.ts';
import { importSteps, newImportStory, type Row } from './import-story.ts';

const REVENUE = { kind: 'revenue', currency: 'USD', rise: null } as const;

/** Returns a row of the same value for each of `count` days from `first` on. */
const daily = (first: string, count: number, value: string): Row[] =>
  Array.from({ length: count }, (_, index) => [addDays(first, index), value]);

describeOnBothEngines('a month that an import has not read', (open, onDuckDb) => {
  const test = withOpened(open);

  /** January has settled with a cost of 310. */
  const settledStory = async (metric: Parameters<typeof newImportStory>[1] = {}) => {
    const story = await newImportStory(test, metric);
    await story.spend(Object.fromEntries(daily('2026-01-01', 31, '10').map(([day, cost]) => [day, cost])));
    await story.settle();
    return story;
  };

  it('is held back with the error, and is ready once a run has read it', async () => {
    const story = await settledStory(REVENUE);
    // The platform has 1,000 a day. The key is revoked on 16 January, after 15 whole days and a morning without sales.
    const sales = daily('2026-01-01', 31, '1000');
    await story.connect(new Date('2026-01-10T06:00:00Z'));
    await story.run(sales.slice(0, 15), { at: '2026-01-16T05:45:00Z' });
    await story.run([], { at: '2026-02-07T05:45:00Z', outcome: 'failed' });
    const sentence =
      'the import from Stripe has not read 2026-01 to its end: its last run, on 2026-02-07, failed: the key was revoked';
    const gap = 'no value has been recorded for 2026-01-16 to 2026-01-31, the last 16 days of the month';
    expect(await story.month()).toMatchObject({
      status: 'open',
      reason: sentence,
      can_lock: 'without_missing',
      value: 15_000,
      notes: [gap],
      missing: [
        {
          code: 'import_behind',
          sentence,
          amount: null,
          ways_out: [
            { action: 'connect_import', metric_id: story.metric.id },
            { action: 'run_import', metric_id: story.metric.id },
            { action: 'accept' },
          ],
        },
      ],
    });
    await expect(story.lock()).rejects.toThrow('the key was revoked');
    // A new key reads twelve months.
    await story.connect();
    expect(await story.month()).toMatchObject({ status: 'open', missing: [{ code: 'import_behind' }] });
    await story.run(sales);
    expect(await story.month()).toMatchObject({
      status: 'ready_to_lock',
      can_lock: 'now',
      value: 31_000,
      missing: [],
      notes: [],
    });
    expect(await story.lock()).toMatchObject({ status: 'locked', value: 31_000 });
  });

  it('is not read by a run from a later month on, nor by one that did not complete', async () => {
    const story = await settledStory();
    await story.type({ '2025-02-28': 1 });
    await story.connect();
    await story.run(daily('2026-01-01', 31, '2'), { outcome: 'cut off' });
    expect(await story.month()).toMatchObject({ status: 'open', value: 62 });
    await story.run(daily('2026-02-01', 6, '2'), { startMonth: '2026-02' });
    expect((await story.month()).reason).toBe(
      'the import from BigQuery has not read 2026-01 to its end: its runs have read later months only',
    );
    // The import does not own the months before its first.
    expect((await story.month('2025-02')).missing.map(({ code }) => code)).not.toContain('import_behind');
    await story.run(daily('2026-01-01', 31, '2'), { startMonth: '2026-01' });
    expect(await story.month()).toMatchObject({ status: 'ready_to_lock', value: 62 });
  });

  it('was read by an earlier key if it lies before what the new one reads', async () => {
    const story = await newImportStory(test);
    await story.connect(new Date('2025-01-10T06:00:00Z'));
    await story.run([['2025-01-05', '4']], { at: '2025-02-01T05:45:00Z' });
    await story.connect();
    await story.run([['2026-01-05', '4']]);
    const codes = async (month: string) => (await story.month(month)).missing.map(({ code }) => code);
    expect(await codes('2025-01')).not.toContain('import_behind');
    // No run has read February 2025 to its end.
    expect(await codes('2025-02')).toContain('import_behind');
    expect(await codes('2025-03')).not.toContain('import_behind');
    // Without a connection, its values are anybody's.
    await story.disconnect();
    expect(await codes('2025-02')).not.toContain('import_behind');
  });

  describe('after the import was disconnected', () => {
    const GAP = 'no value has been recorded for 2026-01-16 to 2026-01-31, the last 16 days of the month';

    /** The platform has 1,000 a day, and is disconnected on 16 January. */
    const disconnected = async (metric: Parameters<typeof newImportStory>[1], rows: Row[]) => {
      const story = await settledStory(metric);
      await story.connect(new Date('2026-01-10T06:00:00Z'));
      await story.run(rows, { at: '2026-01-16T05:45:00Z' });
      await story.disconnect(new Date('2026-01-16T08:00:00Z'));
      return story;
    };

    it.each([
      ['revenue', REVENUE],
      ['a count', {}],
    ])('lacks the later days of %s, until someone records some or connects it again', async (_, metric) => {
      const story = await disconnected(metric, daily('2025-12-01', 46, '1000'));
      const platform = 'kind' in metric ? 'Stripe' : 'BigQuery';
      expect(await story.month()).toMatchObject({
        status: 'open',
        can_lock: 'without_missing',
        value: 15_000,
        missing: [
          {
            code: 'import_behind',
            amount: null,
            sentence: `the import from ${platform} was disconnected on 2026-01-16, and ${GAP}`,
            ways_out: [{ action: 'connect_import', metric_id: story.metric.id }, { action: 'accept' }],
          },
        ],
      });
      // A run had read December to its end, and nothing is known of February.
      expect((await story.month('2025-12')).missing.map(({ code }) => code)).not.toContain('import_behind');
      await story.connect();
      await story.run(daily('2026-01-01', 31, '1000'));
      expect(await story.month()).toMatchObject({ status: 'ready_to_lock', value: 31_000 });
    });

    it('is ready once someone has recorded a later day', async () => {
      const story = await disconnected({}, daily('2025-12-01', 46, '1000'));
      await story.type({ '2026-01-31': 16_000 });
      expect(await story.month()).toMatchObject({ status: 'ready_to_lock', value: 31_000, missing: [] });
    });

    it.each([
      ['revenue', REVENUE],
      ['a count', {}],
    ])('has its last day of %s only in part, until someone records it', async (_, metric) => {
      const story = await settledStory(metric);
      await story.connect(new Date('2026-01-10T06:00:00Z'));
      // The run of 31 January has read 200 of that day. The next one would have read 1,000.
      await story.run([...daily('2026-01-01', 30, '1000'), ['2026-01-31', '200']], {
        at: '2026-01-31T05:45:00Z',
      });
      await story.disconnect(new Date('2026-02-01T04:00:00Z'));
      const platform = 'kind' in metric ? 'Stripe' : 'BigQuery';
      const sentence = `the import from ${platform} was disconnected on 2026-02-01, and had read 2026-01-31 only in part`;
      expect(await story.month()).toMatchObject({
        status: 'open',
        value: 30_200,
        reason: sentence,
        can_lock: 'without_missing',
        missing: [{ code: 'import_behind', ways_out: [{ action: 'connect_import' }, { action: 'accept' }] }],
      });
      await story.type({ '2026-01-31': 1000 });
      expect(await story.month()).toMatchObject({ status: 'ready_to_lock', value: 31_000, missing: [] });
    });

    it('is ready if the metric never had values on more days', async () => {
      const sales: Row[] = ['2025-11-28', '2025-12-14', '2025-12-31', '2026-01-15'].map((day) => [
        day,
        '1000',
      ]);
      const story = await disconnected({}, sales);
      expect(await story.month()).toMatchObject({ status: 'ready_to_lock', value: 1000, missing: [] });
    });

    it('is ready if no run of the import had ever completed', async () => {
      const story = await settledStory();
      await story.type(
        Object.fromEntries(daily('2026-01-01', 15, '2').map(([day, value]) => [day, Number(value)])),
      );
      await story.connect(new Date('2026-01-16T06:00:00Z'));
      await story.run([], { at: '2026-01-16T06:00:00Z', outcome: 'failed' });
      await story.disconnect(new Date('2026-01-16T08:00:00Z'));
      expect(await story.month()).toMatchObject({ status: 'ready_to_lock', value: 30, notes: [GAP] });
    });
  });

  it('raises no event by a day that is not over, or that no run has read', async () => {
    const story = await settledStory();
    await story.connect(new Date('2026-01-10T06:00:00Z'));
    // The run of 20 January has read a quarter of that day.
    await story.run([...daily('2026-01-01', 19, '4'), ['2026-01-20', '1']], { at: '2026-01-20T05:45:00Z' });
    const days = async () => {
      const { on } = await computeSpend(test.warehouse, story.orgId, new Date('2026-01-21T06:00:00Z'));
      const found = await test.warehouse.session((session) =>
        dailyUnitCosts(on(session), story.orgId, [story.metric.id], '2026-01-20'),
      );
      return found.get(story.metric.id)?.at(-1)?.day;
    };
    expect(await days()).toBe('2026-01-19');
    await story.run(daily('2026-01-01', 20, '4'), { at: '2026-01-21T05:45:00Z' });
    expect(await days()).toBe('2026-01-20');
  });

  onDuckDb(() => {
    it('can be locked by a person who accepts it, and the version keeps the reason', async () => {
      const story = await settledStory();
      await story.connect(new Date('2026-01-10T06:00:00Z'));
      await story.run(daily('2026-01-01', 20, '5'), { at: '2026-01-20T05:45:00Z' });
      const sentence =
        'the import from BigQuery has not read 2026-01 to its end: its last run that has read the month was on 2026-01-20';
      expect(await story.month()).toMatchObject({ status: 'open', reason: sentence });
      expect(await story.lock('2026-01', true)).toMatchObject({ status: 'locked', value: 100, missing: [] });
      expect(await story.versions()).toMatchObject([{ missing: [sentence] }]);
      // The next run brings the other eleven days.
      await story.run(daily('2026-01-01', 31, '5'));
      expect(await story.month()).toMatchObject({ status: 'changed_since_lock', current: { value: 155 } });
      expect(await story.lock()).toMatchObject({ status: 'locked', version: 2, value: 155 });
    });

    it('does not exist for an import that runs each day, from the first run of the next month on', async () => {
      const story = await settledStory();
      await story.connect(new Date('2026-01-10T06:00:00Z'));
      const rows = daily('2026-01-01', 31, '3');
      await story.run(rows, { at: '2026-01-31T05:45:00Z' });
      const january = () => story.month('2026-01');
      expect(await january()).toMatchObject({ status: 'open', missing: [{ code: 'import_behind' }] });
      await story.run(rows, { at: '2026-02-01T05:45:00Z' });
      expect(await january()).toMatchObject({ status: 'ready_to_lock', value: 93, missing: [], notes: [] });
      // Later failures say nothing of January.
      await story.run([], { at: '2026-02-02T05:45:00Z', outcome: 'failed' });
      expect(await january()).toMatchObject({ status: 'ready_to_lock', missing: [] });
      // The running month is not over, so that nothing is missing of it.
      expect(await story.month('2026-02')).toMatchObject({ status: 'open', missing: [] });
    });

    it('is held back while the import pauses, with the plan as the reason', async () => {
      const story = await settledStory(REVENUE);
      await story.connect(new Date('2026-01-10T06:00:00Z'));
      await story.run(daily('2026-01-01', 20, '7'), { at: '2026-01-21T05:45:00Z' });
      await updateOrganisation(test.warehouse, story.orgId, { tier: 'professional' }, BY_ADMIN);
      const { reason, missing } = await story.month();
      expect(reason).toMatch(/has not read 2026-01 to its end: it is paused, because .*Business/);
      expect(missing).toMatchObject([{ ways_out: [{ action: 'accept' }] }]);
    });
  });

  it('leaves a day that is not over out of the comparison with the month before', async () => {
    const story = await newImportStory(test);
    // Each day of January and February costs 10 and has 5. The run of 5 February has read 1 of that day.
    for (const [first, count] of [
      ['2026-01-01', 31],
      ['2026-02-01', 6],
    ] as const)
      await story.spend(Object.fromEntries(daily(first, count, '10').map(([day, cost]) => [day, cost])));
    await story.connect();
    const rows = [...daily('2026-01-01', 35, '5'), ['2026-02-05', '1']] as Row[];
    await story.run(rows, { at: '2026-02-05T05:45:00Z' });
    // Until 4 February, both months cost 2. With 5 February, February would cost 50 ÷ 21.
    expect(await story.month('2026-02')).toMatchObject({ change_basis: 'same_days', change_percent: 0 });
  });

  describe('of a metric that splits a shared cost', () => {
    /** Account 4 costs 3,100 in January. Label web has 100 on each of 15 days, label find on each of the 16 days after. */
    const splitStory = async () => {
      const story = await newTeamStory(test);
      const spend = [{ day: '2026-01-31', cloud: 'aws', account: '4', cost: '3100' }];
      await story.spend('2026-01', { cloud_spend: spend });
      const early = new Date('2026-01-05T06:00:00Z');
      const names = {
        Shop: await story.team('Shop', [], early),
        Search: await story.team('Search', [], early),
      };
      const metric = await story.metric({ frequency: 'daily' });
      const split = {
        type: 'metric',
        metric_id: metric.id,
        labels: { web: names.Shop, find: names.Search },
      } as const;
      await story.sharedCost('Platform', [account('4')], split);
      const rows = daily('2026-01-01', 31, '100').map(([day, value], index): Row => [
        day,
        index < 15 ? 'web' : 'find',
        value,
      ]);
      const steps = importSteps(test, story.orgId, metric);
      await steps.connect(new Date('2026-01-10T06:00:00Z'));
      await steps.run(rows.slice(0, 15), { at: '2026-01-16T05:45:00Z' });
      return { ...story, ...steps, metric, names, rows };
    };

    it('keeps bills from sealing until it is read', async () => {
      const story = await splitStory();
      await story.run([], { at: '2026-02-07T05:45:00Z', outcome: 'failed' });
      const sentence =
        'metric "Requests", by which a shared cost is split, may lack values of 2026-01: the import from BigQuery has not read 2026-01 to its end: its last run, on 2026-02-07, failed: the key was revoked';
      // The reason is known before the month has settled.
      expect(await story.month()).toMatchObject({ status: 'estimate', missing: [sentence] });
      await story.settle();
      const waiting = await story.month();
      expect(waiting).toMatchObject({ status: 'waiting', missing: [sentence] });
      expect(inNumbers(waiting, story.names)).toMatchObject({ Shop: [0, 3100, 3100], Search: [0, 0, 0] });
      expect(await story.versions(story.names.Shop)).toEqual([]);
      await story.run(story.rows, { at: '2026-02-07T06:00:00Z' });
      const sealed = await story.month();
      expect(sealed).toMatchObject({ status: 'sealed', missing: [] });
      expect(inNumbers(sealed, story.names)).toMatchObject({
        Shop: [0, 1500, 1500],
        Search: [0, 1600, 1600],
      });
      expect(await story.versions(story.names.Search)).toHaveLength(1);
    });

    it('keeps bills from sealing after it was disconnected, until someone records the later days', async () => {
      const story = await splitStory();
      await story.disconnect(new Date('2026-01-16T08:00:00Z'));
      await story.settle();
      const sentence =
        'metric "Requests", by which a shared cost is split, may lack values of 2026-01: the import from BigQuery was disconnected on 2026-01-16, and no value has been recorded for 2026-01-16 to 2026-01-31, the last 16 days of the month';
      expect(await story.month()).toMatchObject({ status: 'waiting', missing: [sentence] });
      for (const [day] of story.rows.slice(15)) await story.values(story.metric, day, { find: 100 });
      const sealed = await story.month();
      expect(sealed).toMatchObject({ status: 'sealed', missing: [] });
      expect(inNumbers(sealed, story.names)).toMatchObject({
        Shop: [0, 1500, 1500],
        Search: [0, 1600, 1600],
      });
    });

    it('keeps the costs of teams unknown on days that no run has read', async () => {
      const story = await splitStory();
      const knownDays = async (end: string) => {
        const { on } = await computeSpend(test.warehouse, story.orgId, new Date('2026-02-07T06:00:00Z'));
        const range = { start: '2026-01-14', end };
        const costs = await test.warehouse.session((session) =>
          dailyTeamCosts(on(session), story.orgId, range),
        );
        return [...costs.keys()];
      };
      // A day of the running month is split by the values so far.
      expect(await knownDays('2026-01-17')).toEqual(['2026-01-14', '2026-01-15', '2026-01-16']);
      expect(await knownDays('2026-02-01')).toEqual([]);
      await story.run(story.rows, { at: '2026-02-01T05:45:00Z' });
      expect(await knownDays('2026-02-01')).toHaveLength(18);
    });

    onDuckDb(() => {
      it('can be sealed by hand, and seals again once it is read', async () => {
        const story = await splitStory();
        await story.settle();
        await story.reseal('2026-01', 'the books close', new Date('2026-02-07T06:00:00Z'));
        expect(inNumbers(await story.month(), story.names)).toMatchObject({ Shop: [0, 3100, 3100] });
        // A run that is cut off has stored its values. The bills wait until one completes.
        await story.run(story.rows, { outcome: 'cut off' });
        expect(inNumbers(await story.month(), story.names)).toMatchObject({ Shop: [0, 3100, 3100] });
        await story.run(story.rows);
        expect(inNumbers(await story.month(), story.names)).toMatchObject({
          Shop: [0, 1500, 1500],
          Search: [0, 1600, 1600],
        });
      });
    });
  });

  it('has notes of what the import leaves out, also after later runs', async () => {
    const story = await settledStory(REVENUE);
    const leftOut = (...parts: [month: string, amount: string, transactions: number][]) => ({
      other_currencies: [],
      left_out: parts.map(([month, amount, transactions]) => ({
        month,
        category: 'moon_tax',
        currency: 'USD',
        amount,
        transactions,
      })),
    });
    await story.connect();
    await story.run(daily('2026-01-01', 31, '10'), {
      uncounted: (vault, runId) =>
        vault.sealUncounted(runId, JSON.stringify(leftOut(['2026-01', '3.33', 1]))),
    });
    const note =
      "1 transaction of Stripe's category moon_tax (3.33 USD) did not count, because it is not known whether they are sales";
    expect(await story.month()).toMatchObject({ status: 'ready_to_lock', notes: [note] });
    expect((await story.month('2025-12')).notes).toEqual([]);
    await story.run(daily('2026-02-01', 5, '10'), {
      startMonth: '2026-02',
      uncounted: (vault, runId) =>
        vault.sealUncounted(runId, JSON.stringify(leftOut(['2026-01', '3.33', 1], ['2026-02', '-8', 2]))),
    });
    expect((await story.month()).notes).toEqual([note]);
    expect((await story.month('2026-02')).notes).toMatchObject([expect.stringContaining('2 transactions')]);
    expect(await story.lock()).toMatchObject({ status: 'locked', notes: [] });
  });
});
