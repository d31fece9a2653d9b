import { describe, expect, it } from 'vitest';
import { addDays } from '../../../domain/shared/calendar.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { withOpened } from '../../support/with-opened.ts';
import { newImportStory, type Row } from './import-story.ts';

const REVENUE = { kind: 'revenue', currency: 'USD', rise: null } as const;

/** Returns a row of the same value for each of `count` days from `first` on. */
const daily = (first: string, count: number, value: string): Row[] =>
  Array.from({ length: count }, (_, index) => [addDays(first, index), value]);

describeOnBothEngines('the days that an import reads', (open, onDuckDb) => {
  const test = withOpened(open);

  describe.each([
    ['revenue', REVENUE],
    ['a count', {}],
  ])('of %s', (_, metric) => {
    it('lose what someone recorded before, with a record in the history', async () => {
      const story = await newImportStory(test, metric);
      // Someone recorded January's total of 22,000 on its last day. The platform has 22 days of 1,000.
      await story.type({ '2026-01-31': 22_000 });
      await story.connect();
      expect(await story.run(daily('2026-01-05', 22, '1000'))).toEqual({ changed: 22, removed: 1 });
      expect(await story.sums()).toEqual({ '2026-01': 22_000 });
      const removals = (await story.history()).filter(({ action }) => action === 'remove');
      expect(removals).toMatchObject([{ period: '2026-01-31', changed_by: { type: 'import' } }]);
      expect(Number(removals[0]?.previous)).toBe(22_000);
      // Later runs remove nothing. A day that the platform leaves out stays.
      expect(await story.run(daily('2026-01-06', 21, '1000'))).toEqual({ changed: 0, removed: 0 });
      expect(await story.sums()).toEqual({ '2026-01': 22_000 });
    });

    it('keep what someone had recorded just as the first run read it', async () => {
      const story = await newImportStory(test, metric);
      // The platform has 1,000 on each day. Someone had recorded that of 10 January, and 5 for 11 January.
      await story.type({ '2026-01-10': 1000, '2026-01-11': 5 });
      await story.connect();
      expect(await story.run(daily('2026-01-01', 31, '1000'))).toEqual({ changed: 30, removed: 0 });
      // Later the platform leaves out both days.
      const without = daily('2026-01-01', 31, '1000').filter(
        ([day]) => !['2026-01-10', '2026-01-11'].includes(day),
      );
      expect(await story.run(without)).toEqual({ changed: 0, removed: 0 });
      expect(await story.sums()).toEqual({ '2026-01': 31_000 });
      // Another key owns the days afresh.
      await story.connect();
      expect(await story.run(without)).toEqual({ changed: 0, removed: 2 });
      expect(await story.sums()).toEqual({ '2026-01': 29_000 });
    });

    it('grow by a month of which an earlier run had nothing', async () => {
      const story = await newImportStory(test, metric);
      // Someone recorded October's total of 40 on its last day. The platform brings October later: 31 days of 1.
      await story.type({ '2025-10-31': 40 });
      await story.connect();
      expect(await story.run(daily('2026-01-01', 31, '1'))).toEqual({ changed: 31, removed: 0 });
      const rows = [...daily('2025-10-01', 30, '1'), ...daily('2026-01-01', 31, '1')];
      expect(await story.run(rows, { startMonth: '2025-10' })).toEqual({ changed: 30, removed: 1 });
      expect(await story.sums()).toEqual({ '2025-10': 30, '2026-01': 31 });
    });

    it('lose what another key has read', async () => {
      const story = await newImportStory(test, metric);
      await story.connect();
      await story.run([
        ['2025-12-24', '500'],
        ['2026-01-10', '31000'],
      ]);
      await story.connect();
      // The second key has no sales in December.
      expect(await story.run([['2026-01-20', '31000']])).toEqual({ changed: 1, removed: 2 });
      expect(await story.sums()).toEqual({ '2026-01': 31_000 });
    });

    it('keep what is recorded for the time before the import', async () => {
      const story = await newImportStory(test, metric);
      // The import reads from 2025-03 on, and the platform has sales from 2025-11 on. It owns all of that month.
      await story.type({
        '2025-02-28': 1,
        '2025-03-01': 2,
        '2025-10-31': 4,
        '2025-11-01': 5,
        '2025-11-30': 8,
      });
      await story.connect();
      expect(
        await story.run([
          ['2025-11-15', '16'],
          ['2026-01-15', '32'],
        ]),
      ).toEqual({ changed: 2, removed: 2 });
      expect(await story.sums()).toEqual({
        '2025-02': 1,
        '2025-03': 2,
        '2025-10': 4,
        '2025-11': 16,
        '2026-01': 32,
      });
    });
  });

  it('belong to the first run that completes', async () => {
    const story = await newImportStory(test);
    await story.type({ '2025-06-10': 5, '2026-01-02': 100 });
    await story.connect();
    await story.run([], { outcome: 'failed' });
    expect(await story.sums()).toEqual({ '2025-06': 5, '2026-01': 100 });
    // The next day's run reads twelve months, because none has completed.
    const rows = [
      ['2025-05-01', '7'],
      ['2026-01-03', '90'],
    ] as const satisfies Row[];
    expect(await story.run([...rows], { at: '2026-02-08T05:45:00Z' })).toEqual({ changed: 2, removed: 2 });
    expect(await story.sums()).toEqual({ '2025-05': 7, '2026-01': 90 });
  });

  it('lose what another key has read to the first run that completes, after one that failed', async () => {
    const story = await newImportStory(test);
    await story.connect();
    await story.run([['2026-01-10', '400']]);
    await story.connect();
    await story.run([], { outcome: 'failed' });
    expect(await story.sums()).toEqual({ '2026-01': 400 });
    expect(await story.run([['2026-01-20', '300']], { at: '2026-02-08T05:45:00Z' })).toEqual({
      changed: 1,
      removed: 1,
    });
    expect(await story.sums()).toEqual({ '2026-01': 300 });
  });

  it('lose nothing to a run without any rows, and belong to the next one', async () => {
    const story = await newImportStory(test);
    await story.type({ '2026-01-02': 100, '2026-02-02': 10 });
    await story.connect();
    expect(await story.run([])).toEqual({ changed: 0, removed: 0 });
    expect(await story.sums()).toEqual({ '2026-01': 100, '2026-02': 10 });
    expect(await story.run([['2026-01-03', '95']])).toEqual({ changed: 1, removed: 2 });
    expect(await story.sums()).toEqual({ '2026-01': 95 });
  });

  it('lose the sales of a test key if the live account has payouts only', async () => {
    const story = await newImportStory(test, REVENUE);
    await story.type({ '2025-12-01': 3 });
    await story.connect();
    await story.run([['2026-01-10', '400']]);
    await story.connect();
    expect(await story.run([], { rows: 0 })).toEqual({ changed: 0, removed: 0 });
    expect(await story.run([], { rows: 2 })).toEqual({ changed: 0, removed: 1 });
    expect(await story.sums()).toEqual({ '2025-12': 3 });
  });

  it('grow with a run from an earlier month', async () => {
    const story = await newImportStory(test);
    await story.type({ '2024-12-31': 6, '2025-01-05': 60 });
    await story.connect();
    await story.run(daily('2026-01-01', 31, '2'));
    expect(await story.sums()).toEqual({ '2024-12': 6, '2025-01': 60, '2026-01': 62 });
    const rows: Row[] = [['2025-01-04', '50'], ...daily('2026-01-02', 30, '2')];
    // The first of January was read before, so that it stays.
    expect(await story.run(rows, { startMonth: '2024-12' })).toEqual({ changed: 1, removed: 1 });
    expect(await story.sums()).toEqual({ '2024-12': 6, '2025-01': 50, '2026-01': 62 });
  });

  it('of a reconnected metric lose what was recorded in between', async () => {
    const story = await newImportStory(test);
    await story.connect();
    await story.run(daily('2026-01-01', 31, '10'));
    await story.disconnect();
    await story.type({ '2026-01-31': 400, '2026-02-01': 30 });
    expect(await story.sums()).toEqual({ '2026-01': 700, '2026-02': 30 });
    await story.connect();
    expect(await story.run(daily('2026-01-01', 31, '10'))).toEqual({ changed: 1, removed: 1 });
    expect(await story.sums()).toEqual({ '2026-01': 310 });
  });

  it('of a metric with labels lose all labels that do not come back', async () => {
    const story = await newImportStory(test, { label_key: 'region' });
    await story.type({ '2025-12-31': 9, '2026-01-31': 500 }, 'all');
    await story.connect();
    const rows: Row[] = [
      ['2026-01-10', 'eu', '300'],
      ['2026-01-10', 'us', '200'],
    ];
    expect(await story.run(rows)).toEqual({ changed: 2, removed: 1 });
    expect(await story.sums()).toEqual({ '2025-12': 9, '2026-01': 500 });
    // Each run replaces the labels of the months that it reads.
    expect(await story.run([['2026-01-10', 'eu', '310']])).toEqual({ changed: 1, removed: 1 });
    expect(await story.sums()).toEqual({ '2025-12': 9, '2026-01': 310 });
  });

  onDuckDb(() => {
    it('make a locked month changed since its lock', async () => {
      const story = await newImportStory(test);
      await story.spend({ '2026-01-10': '1000', '2026-01-31': '0' });
      await story.type({ '2026-01-04': 40, '2026-01-20': 10 });
      await story.settle();
      await story.lock();
      await story.connect();
      await story.run([['2026-01-04', '40']]);
      expect(await story.month()).toMatchObject({
        status: 'changed_since_lock',
        value: 50,
        current: { value: 40 },
      });
    });
  });
});
