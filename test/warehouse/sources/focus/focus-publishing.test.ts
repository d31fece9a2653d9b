import { expect, it } from 'vitest';
import type { Session } from '../../../../warehouse/engine/session.ts';
import { sourceMonths } from '../../../../warehouse/sources/coverage.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import { dayLine, focusCsv, type FocusLine } from '../../../support/exports/focus-export.ts';
import {
  loadPaths,
  loadText,
  money,
  newOrganisation,
  newSource,
  NOW,
  spendByDay,
  writeFiles,
  type LoadChanges,
} from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

/** One line for each day of February. */
const february = (line: (day: string) => FocusLine): FocusLine[] =>
  Array.from({ length: 28 }, (_, index) => line(`2026-02-${String(index + 1).padStart(2, '0')}`));

/** Wraps a session so that `before` runs ahead of the statement that publishes a load. If it throws, nothing is published. */
const beforePublishing = (session: Session, before: () => Promise<void>): Session =>
  new Proxy(session, {
    get: (target, name) => {
      if (name === 'run') {
        return async (...statement: Parameters<Session['run']>) => {
          if (/^\s*INSERT INTO loads\b/.test(statement[0])) await before();
          return target.run(...statement);
        };
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });

describeOnBothEngines('publishing a FOCUS load', (open) => {
  const test = withOpened(open);

  const newStory = async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const target = { orgId, sourceId: (await newSource(test.warehouse, orgId)).id };
    return {
      target,
      orgId,
      /** Loads `{ '2026-01-10': '5' }`, each day in the billing period of its month. */
      load: (days: Record<string, string>, changes: LoadChanges = {}) =>
        loadText(
          test,
          target,
          focusCsv(Object.entries(days).map(([day, cost]) => dayLine(day, cost))),
          changes,
        ),
      spend: () => spendByDay(test.warehouse, orgId),
      count: async (table: 'loads' | 'current_loads' | 'cloud_spend'): Promise<number> => {
        const [row] = await test.warehouse.query<{ rows: string }>(
          `SELECT count(*) AS rows FROM ${table} WHERE org_id = $org`,
          { org: orgId },
        );
        return Number(row?.rows);
      },
    };
  };

  it('replaces the billing periods in the export, and keeps the others', async () => {
    const story = await newStory();
    await story.load({ '2025-12-31': '1', '2026-01-10': '2', '2026-01-11': '3' });
    // January is restated. The 11th is gone, and the 12th is new.
    expect(await story.load({ '2026-01-10': '20', '2026-01-12': '30' })).toMatchObject({
      months: ['2026-01'],
      costTotal: money('50'),
    });
    expect(await story.spend()).toEqual({
      '2025-12-31': money('1'),
      '2026-01-10': money('20'),
      '2026-01-12': money('30'),
    });
    expect(await story.count('current_loads')).toBe(2);
    expect(await story.count('loads')).toBe(3); // the replaced load stays until maintenance removes it
  });

  /** Records that January has settled. */
  const settle = (orgId: string) =>
    test.warehouse.run(
      `INSERT INTO settled_months BY NAME
       SELECT $org AS org_id, DATE '2026-01-01' AS month, TIMESTAMP '2026-02-06 06:15:00' AS settled_at`,
      { org: orgId },
    );

  it('notes the days that the export has lost, and their amount', async () => {
    const story = await newStory();
    await story.load({ '2026-01-10': '2', '2026-01-11': '3', '2026-01-12': '4.5', '2026-01-14': '8' });
    const shorter = { '2026-01-10': '2', '2026-01-13': '1' };
    const note =
      'the export no longer has 2026-01-11 to 2026-01-12, 2026-01-14, which had 15.5 USD; the bill as a whole is 14.5 USD less';
    expect(await story.load(shorter, { runId: 'run_2' })).toMatchObject({ notes: [note] });
    expect(await story.spend()).toEqual({ '2026-01-10': money('2'), '2026-01-13': money('1') });
    // A retry of the activity has the same note. The next run has none.
    expect(await story.load(shorter, { runId: 'run_2' })).toMatchObject({ notes: [note] });
    expect(await story.load(shorter)).toMatchObject({ notes: [] });
  });

  it('is rejected if a settled month would lose days, unless the ingest accepts it', async () => {
    const story = await newStory();
    await story.load({ '2026-01-10': '2', '2026-01-11': '3', '2026-01-12': '4', '2026-02-01': '5' });
    await settle(story.orgId);
    const before = await story.spend();
    const shorter = { '2026-01-10': '20', '2026-02-02': '6' };
    await expect(story.load(shorter)).rejects.toMatchObject({
      kind: 'invalid',
      message:
        // January had 9 and would have 20. February goes from 5 to 6.
        'the export no longer has 2026-01-11 to 2026-01-12, which had 7 USD; the bill as a whole is 12 USD more, in settled months; ' +
        'nothing was loaded. Correct the export, or start the ingest with accept_shrink to drop these days',
    });
    expect(await story.spend()).toEqual(before);
    // Amounts may change, days may be added, and a month that the export lacks stays.
    expect(
      await story.load({ '2026-01-09': '1', '2026-01-10': '20', '2026-01-11': '3', '2026-01-12': '4' }),
    ).toMatchObject({ notes: [] });
    expect(await story.load({ '2026-02-02': '6' })).toMatchObject({
      notes: ['the export no longer has 2026-02-01, which had 5 USD; the bill as a whole is 1 USD more'],
    });
    expect(await story.load(shorter, { startMonth: '2026-02' })).toMatchObject({ months: ['2026-02'] });
    expect(await story.load(shorter, { acceptShrink: true })).toMatchObject({
      notes: [
        'the export no longer has 2026-01-09, 2026-01-11 to 2026-01-12, which had 8 USD; the bill as a whole is 8 USD less',
      ],
    });
    expect(await story.spend()).toEqual({ '2026-01-10': money('20'), '2026-02-02': money('6') });
    // The next scheduled ingest needs no acceptance.
    expect(await story.load(shorter)).toMatchObject({ notes: [] });
  });

  it('decides by the month of the day, not of the billing period', async () => {
    const story = await newStory();
    await settle(story.orgId);
    const february = { BillingPeriodStart: '2026-02-01T00:00:00Z' };
    const load = (...lines: Parameters<typeof focusCsv>[0]) => loadText(test, story.target, focusCsv(lines));
    await load(dayLine('2026-01-31', '-5', february), dayLine('2026-02-01', '1'));
    await expect(load(dayLine('2026-02-01', '1'))).rejects.toThrow(
      /^the export no longer has 2026-01-31, which had -5 USD; the bill as a whole is 5 USD more, in settled months/,
    );
  });

  it('counts a day as lost if only a share of a longer charge is left', async () => {
    const story = await newStory();
    const fee = dayLine('2026-01-01', '31', { ChargePeriodEnd: '2026-02-01T00:00:00Z' });
    const load = (...lines: Parameters<typeof focusCsv>[0]) => loadText(test, story.target, focusCsv(lines));
    await load(fee, dayLine('2026-01-10', '2'), dayLine('2026-01-11', '3'));
    await settle(story.orgId);
    await expect(load(fee, dayLine('2026-01-10', '2'))).rejects.toThrow(
      /^the export no longer has 2026-01-11, which had 4 USD; the bill as a whole is 3 USD less/,
    );
    await expect(load(dayLine('2026-01-10', '2'), dayLine('2026-01-11', '3'))).rejects.toThrow(
      /^the export no longer has 2026-01-01 to 2026-01-09, 2026-01-12 to 2026-01-31, which had 29 USD; the bill as a whole is 31 USD less/,
    );
  });

  it('keeps a day that moves to the next billing period; another charge of the day does not hide a loss', async () => {
    const story = await newStory();
    const february = { BillingPeriodStart: '2026-02-01T00:00:00Z' };
    const load = (...lines: Parameters<typeof focusCsv>[0]) => loadText(test, story.target, focusCsv(lines));
    const rest = [dayLine('2026-01-30', '2'), dayLine('2026-02-01', '1')];
    await load(...rest, dayLine('2026-01-31', '3'));
    await settle(story.orgId);
    expect(await load(...rest, dayLine('2026-01-31', '3', february))).toMatchObject({ notes: [] });
    expect(Object.values(await story.spend()).map(Number)).toEqual([2, 3, 1]);
    await load(...rest, dayLine('2026-01-31', '3'), dayLine('2026-01-31', '-1', february));
    await expect(load(...rest, dayLine('2026-01-31', '-1', february))).rejects.toThrow(
      /^the export no longer has 2026-01-31, which had 3 USD; the bill as a whole is 3 USD less, in settled months/,
    );
  });

  it('counts the days of a spread fee as lost if the fee becomes one charge of the same amount', async () => {
    const story = await newStory();
    const fee = dayLine('2026-01-01', '31', { ChargePeriodEnd: '2026-02-01T00:00:00Z' });
    const load = (...lines: Parameters<typeof focusCsv>[0]) => loadText(test, story.target, focusCsv(lines));
    await load(fee, dayLine('2026-01-10', '2'));
    await settle(story.orgId);
    const restated = [dayLine('2026-01-01', '31'), dayLine('2026-01-10', '2')] as const;
    await expect(load(...restated)).rejects.toThrow(
      /2026-01-02 to 2026-01-09, 2026-01-11 to 2026-01-31, which had 29 USD; the bill as a whole is what it was, in settled/,
    );
  });

  it('gives the same numbers the second time', async () => {
    const story = await newStory();
    const days = { '2026-01-10': '0.1', '2026-01-11': '-0.2' };
    const first = await story.load(days);
    const before = await story.spend();
    expect(await story.load(days)).toEqual(first);
    expect(await story.spend()).toEqual(before);
    expect(await story.count('current_loads')).toBe(1);
  });

  it('replaces by (source, billing period): a day restated under another period counts in both', async () => {
    const story = await newStory();
    const inFebruary = { BillingPeriodStart: '2026-02-01T00:00:00Z' };
    await loadText(test, story.target, focusCsv([dayLine('2026-01-31', '1')]));
    await loadText(test, story.target, focusCsv([dayLine('2026-01-31', '2', inFebruary)]));
    expect(await story.spend()).toEqual({ '2026-01-31': money('3') });
    await loadText(test, story.target, focusCsv([dayLine('2026-01-30', '5')]));
    expect(await story.spend()).toEqual({ '2026-01-30': money('5'), '2026-01-31': money('2') });
  });

  it('replaces only the billing periods from the start month to the end month, both included', async () => {
    const story = await newStory();
    await story.load({ '2025-11-10': '1', '2025-12-10': '1', '2026-01-10': '1', '2026-02-05': '1' });
    const restated = { '2025-11-10': '9', '2025-12-10': '9', '2026-01-10': '9', '2026-02-05': '9' };
    expect(await story.load(restated, { startMonth: '2025-12', endMonth: '2026-01' })).toMatchObject({
      months: ['2025-12', '2026-01'],
      rowsRead: 4,
      rowsLeftOut: 2,
      costTotal: money('18'),
    });
    const spend = async () => Object.values(await story.spend()).map(Number);
    expect(await spend()).toEqual([1, 9, 9, 1]);
    await story.load(restated, { startMonth: '2026-02' });
    expect(await spend()).toEqual([1, 9, 9, 9]);
    await story.load(restated, { endMonth: '2025-11' });
    expect(await spend()).toEqual([9, 9, 9, 9]);
  });

  it('uses the month in which a billing period begins, if it does not begin with a month', async () => {
    const story = await newStory();
    const text = focusCsv([
      dayLine('2026-01-20', '1', { BillingPeriodStart: '2026-01-15T00:00:00Z' }),
      dayLine('2026-01-10', '2', { BillingPeriodStart: '2025-12-15T00:00:00Z' }),
    ]);
    await loadText(test, story.target, text, { startMonth: '2026-01', endMonth: '2026-01' });
    expect(await story.spend()).toEqual({ '2026-01-20': money('1') });
  });

  it('notes bills outside the range that no run has loaded, if their rows have days in the range', async () => {
    const late = { BillingPeriodStart: '2026-01-01T00:00:00Z' };
    const span = (from: string, to: string, cost: string) =>
      dayLine(from, cost, { ChargePeriodStart: `${from}T00:00:00Z`, ChargePeriodEnd: `${to}T00:00:00Z` });
    const lines = [
      dayLine('2026-02-03', '7.5'),
      // January's bill reaches into February with 2 + 0.25, and with the 31 of a charge from 20 January to 2 February.
      dayLine('2026-02-01', '2', late),
      dayLine('2026-02-02', '0.25', late),
      span('2026-01-20', '2026-02-03', '31'),
      // These have no day in February: the second ends as February begins.
      dayLine('2026-01-31', '100'),
      span('2026-01-01', '2026-02-01', '1000'),
      // March's bill has a charge of February, which its end month would leave out.
      dayLine('2026-02-28', '-4', { BillingPeriodStart: '2026-03-01T00:00:00Z' }),
    ];
    const story = await newStory();
    const text = focusCsv(lines);
    const february = { startMonth: '2026-02', endMonth: '2026-02' };
    expect((await loadText(test, story.target, text, february)).notes).toEqual([
      'billing period 2026-01-01 is outside the months of this run and was never loaded, but 3 of its rows, 33.25 USD in all, have days in these months: load 2026-01, too',
      'billing period 2026-03-01 is outside the months of this run and was never loaded, but 1 of its rows, -4 USD in all, have days in these months: load 2026-03, too',
    ]);
    expect((await loadText(test, story.target, text, { startMonth: '2026-02' })).notes).toEqual([
      'billing period 2026-01-01 is outside the months of this run and was never loaded, but 3 of its rows, 33.25 USD in all, have days in these months: load 2026-01, too',
    ]);
    // Once January is loaded, its bill stays as it is, and nothing is missing.
    await loadText(test, story.target, text, { endMonth: '2026-01' });
    expect((await loadText(test, story.target, text, { startMonth: '2026-02' })).notes).toEqual([]);
    expect((await loadText(test, (await newStory()).target, text)).notes).toEqual([]);
  });

  it('holds a month back while a bill with days of it was never loaded', async () => {
    const late = { BillingPeriodStart: '2026-01-01T00:00:00Z' };
    const lines = [
      ...february((day) => dayLine(day, '10')),
      // January's bill has 2 of 5 February, and a charge of 31 from 20 January to 20 February: 19 of its days are in February.
      dayLine('2026-02-05', '2', late),
      dayLine('2026-01-20', '31', {
        ...late,
        ChargePeriodStart: '2026-01-20T00:00:00Z',
        ChargePeriodEnd: '2026-02-20T00:00:00Z',
      }),
      // The first is not of February, and the second costs nothing.
      dayLine('2026-01-31', '100'),
      dayLine('2026-02-06', '0', late),
    ];
    const story = await newStory();
    const doubts = async () => {
      const months = await sourceMonths(test.warehouse, story.orgId, { first: '2026-01', last: '2026-02' });
      return [...months.values()].flatMap((sources) =>
        sources.flatMap(({ doubts }) =>
          doubts
            .filter(({ code }) => code === 'charges_left_out')
            .map(({ sentence, amount, ways_out }) => [
              sentence,
              Number(amount),
              ways_out.map(({ action }) => action),
            ]),
        ),
      );
    };
    await loadText(test, story.target, focusCsv(lines), { startMonth: '2026-02' });
    expect(await doubts()).toEqual([
      [
        'cost source "Bill" has 3 rows of 2026-02 on its bill of 2026-01, which no run has loaded: 21 does not count',
        21,
        ['run_source', 'accept'],
      ],
    ]);
    // A later run of January alone ends the doubt, although February is not read again.
    await loadText(test, story.target, focusCsv(lines), { endMonth: '2026-01' });
    expect(await doubts()).toEqual([]);
    // So does a run of all months.
    expect((await story.spend())['2026-02-05']).toBe(money('13'));
  });

  it('does nothing for a range that the export lacks', async () => {
    const story = await newStory();
    await story.load({ '2026-01-10': '1' });
    expect(await story.load({ '2026-01-10': '5' }, { startMonth: '2026-03' })).toMatchObject({
      months: [],
      rowsRead: 1,
      rowsLeftOut: 1,
      costTotal: '0',
    });
    expect(await story.spend()).toEqual({ '2026-01-10': money('1') });
  });

  it('leaves other sources and other organisations alone', async () => {
    const [mine, theirs] = [await newStory(), await newStory()];
    const second = await newSource(test.warehouse, mine.orgId);
    await mine.load({ '2026-01-10': '1' });
    await theirs.load({ '2026-01-10': '10' });
    const paths = await writeFiles(test, { 'focus.csv': focusCsv([dayLine('2026-01-10', '100')]) });
    await loadPaths(test, { orgId: mine.orgId, sourceId: second.id }, paths);
    await mine.load({ '2026-01-10': '2' });
    expect(await mine.spend()).toEqual({ '2026-01-10': money('102') });
    expect(await theirs.spend()).toEqual({ '2026-01-10': money('10') });
  });

  it('keeps the load of a newer attempt if an older one publishes later', async () => {
    const story = await newStory();
    await story.load({ '2026-01-10': '1' });
    const [path = ''] = await writeFiles(test, { 'old.csv': focusCsv([dayLine('2026-01-10', '100')]) });
    await test.warehouse.ownSession((session) =>
      loadPaths(
        test,
        story.target,
        [path],
        {},
        {
          // The attempt has read its file. Before it publishes, a newer attempt reads and publishes.
          session: beforePublishing(session, async () => {
            await story.load({ '2026-01-10': '2' });
          }),
        },
      ),
    );
    expect(await story.spend()).toEqual({ '2026-01-10': money('2') });
    expect(await story.count('loads')).toBe(3);
    await story.load({ '2026-01-10': '3' });
    expect(await story.spend()).toEqual({ '2026-01-10': money('3') });
  });

  it('replaces an earlier load even if this clock is far behind', async () => {
    const story = await newStory();
    await story.load({ '2026-01-10': '1' });
    await test.warehouse.run(
      `INSERT INTO loads BY NAME
        SELECT * REPLACE ('f0000000-0000-7000-8000-000000000000'::UUID AS load_id) FROM loads WHERE org_id = $org`,
      { org: story.orgId },
    );
    expect(await story.spend()).toEqual({}); // the fast clock has published a load without rows
    await story.load({ '2026-01-10': '2' });
    expect(await story.spend()).toEqual({ '2026-01-10': money('2') });
  });

  it('does not happen if the attempt was given up or its process dies first', async () => {
    const story = await newStory();
    await story.load({ '2026-01-10': '1' });
    const [path = ''] = await writeFiles(test, { 'new.csv': focusCsv([dayLine('2026-01-10', '100')]) });
    await expect(loadPaths(test, story.target, [path], {}, { isCurrent: false })).rejects.toThrow(
      'given up; nothing was published',
    );
    await expect(
      test.warehouse.ownSession((session) =>
        loadPaths(
          test,
          story.target,
          [path],
          {},
          {
            session: beforePublishing(session, async () => {
              throw new Error('the process dies here');
            }),
          },
        ),
      ),
    ).rejects.toThrow('the process dies here');
    expect(await story.count('cloud_spend')).toBe(3); // its rows are stored, and nothing refers to them
    expect(await story.spend()).toEqual({ '2026-01-10': money('1') });
    // Its leftover rows do not disturb the next attempt.
    await loadPaths(test, story.target, [path]);
    expect(await story.spend()).toEqual({ '2026-01-10': money('100') });
  });

  it('records what it published, when, and in which run', async () => {
    const story = await newStory();
    const days = Array.from({ length: 150 }, () => dayLine('2026-01-10', '1'));
    await loadText(
      test,
      story.target,
      focusCsv([...days, dayLine('2026-01-10', 'x'), dayLine('2026-02-05', '-7')]),
      { runId: 'run_42' },
    );
    const loads = await test.warehouse.query(
      `SELECT billing_period, run_id, published_at, cost_column, rows_read, cost_total, first_day, last_day,
         delivered_through
       FROM current_loads WHERE org_id = $org ORDER BY billing_period`,
      { org: story.orgId },
    );
    const common = { run_id: 'run_42', published_at: '2026-02-07 06:00:00', cost_column: 'EffectiveCost' };
    expect(loads).toEqual([
      {
        ...common,
        billing_period: '2026-01-01',
        rows_read: '150',
        cost_total: money('150'),
        first_day: '2026-01-10',
        last_day: '2026-01-10',
        delivered_through: '2026-01-10',
      },
      {
        ...common,
        billing_period: '2026-02-01',
        rows_read: '1',
        cost_total: money('-7'),
        first_day: '2026-02-05',
        last_day: '2026-02-05',
        delivered_through: '2026-02-05',
      },
    ]);
  });

  it('is delivered through the last day of usage, but never beyond today', async () => {
    const deliveredThrough = async (lines: Parameters<typeof focusCsv>[0], now = NOW) => {
      const story = await newStory();
      await loadText(test, story.target, focusCsv(lines), { now });
      const [row] = await test.warehouse.query<{ day: string }>(
        'SELECT delivered_through AS day FROM current_loads WHERE org_id = $org',
        { org: story.orgId },
      );
      return row?.day;
    };
    const fee = dayLine('2026-02-01', '28', {
      ChargePeriodStart: '2026-02-01T00:00:00Z',
      ChargePeriodEnd: '2026-03-01T00:00:00Z',
    });
    expect(await deliveredThrough([dayLine('2026-02-03', '1'), fee])).toBe('2026-02-03');
    expect(await deliveredThrough([fee])).toBe('2026-02-07'); // all days of the fee up to today
    expect(await deliveredThrough([fee], new Date('2026-03-10T00:00:00Z'))).toBe('2026-02-28');
    expect(await deliveredThrough([dayLine('2026-02-20', '1')])).toBe('2026-02-07'); // a charge in the future
  });

  it('records the last day of a charge, even in the future', async () => {
    const story = await newStory();
    const fee = { ChargePeriodStart: '2026-02-01T00:00:00Z', ChargePeriodEnd: '2026-03-01T00:00:00Z' };
    await loadText(
      test,
      story.target,
      focusCsv([dayLine('2026-02-03', '1'), dayLine('2026-02-01', '28', fee)]),
    );
    expect(
      await test.warehouse.query('SELECT first_day, last_day FROM current_loads WHERE org_id = $org', {
        org: story.orgId,
      }),
    ).toEqual([{ first_day: '2026-02-01', last_day: '2026-02-28' }]);
  });

  it('records the name of each account once for each billing period', async () => {
    const story = await newStory();
    const line = (day: string, account: string, name: string, provider = 'AWS') =>
      dayLine(day, '1', { SubAccountId: account, SubAccountName: name, ProviderName: provider });
    await loadText(
      test,
      story.target,
      focusCsv([
        line('2026-01-10', '1', 'Shop'),
        line('2026-01-11', '1', 'Shop'),
        line('2026-01-12', '1', 'NULL'), // no name beside one
        line('2026-02-05', '1', 'New shop'),
        line('2026-01-10', '1', 'Store', 'Microsoft'), // another cloud's account of the same id
        line('2026-01-10', '2', 'NULL'),
      ]),
    );
    expect(
      await test.warehouse.query(
        `SELECT billing_period, cloud, account, name FROM account_names WHERE org_id = $org ORDER BY ALL`,
        { org: story.orgId },
      ),
    ).toEqual([
      { billing_period: '2026-01-01', cloud: 'aws', account: '1', name: 'Shop' },
      { billing_period: '2026-01-01', cloud: 'azure', account: '1', name: 'Store' },
      { billing_period: '2026-02-01', cloud: 'aws', account: '1', name: 'New shop' },
    ]);
  });
});
