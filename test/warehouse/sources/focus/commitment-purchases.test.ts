import { expect, it } from 'vitest';
import { dayLine, focusCsv, type FocusLine } from '../../../support/exports/focus-export.ts';
import { sourceMonths } from '../../../../warehouse/sources/coverage.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import {
  loadPaths,
  loadText,
  money,
  newOrganisation,
  newSource,
  spendByDay,
  writeFiles,
  type LoadChanges,
} from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

/** Commitments count by the usage that they cover, and credits only as the cost columns have them. */
describeOnBothEngines('a commitment on a FOCUS bill', (open) => {
  const test = withOpened(open);

  const loaded = async (lines: readonly FocusLine[], changes: LoadChanges = {}) => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    const { notes, costTotal } = await loadText(test, { orgId, sourceId }, focusCsv(lines), changes);
    return { notes, costTotal, byDay: await spendByDay(test.warehouse, orgId) };
  };

  const PLAN = 'arn:aws:savingsplans::1000:savingsplan/1f0c';
  const purchase = (cost: string, more: FocusLine = {}): FocusLine =>
    dayLine('2026-01-01', cost, { ChargeCategory: 'Purchase', CommitmentDiscountId: PLAN, ...more });
  const covered = (day: string, cost: string, more: FocusLine = {}): FocusLine =>
    dayLine(day, cost, { BilledCost: '0', CommitmentDiscountId: PLAN, ...more });
  /** Thirty-one days at 3.1 each are 96.1. */
  const january = Array.from({ length: 31 }, (_, index) =>
    covered(`2026-01-${String(index + 1).padStart(2, '0')}`, '3.1'),
  );
  const note = (cost: string, rows = 1, plan = PLAN, cloud = 'aws', period = '2026-01-01'): string =>
    `billing period ${period}: purchases of commitments by ${cloud}, such as "${plan}", have an EffectiveCost of ${cost} USD ` +
    `(${rows} rows), and so has usage of the same commitments: these purchases count 0`;

  it('counts once if its purchase repeats the EffectiveCost of its usage: 96.1, not 192.2', async () => {
    const { notes, costTotal, byDay } = await loaded([purchase('96.1'), ...january]);
    expect(costTotal).toBe(money('96.1'));
    expect(byDay['2026-01-01']).toBe(money('3.1'));
    expect(notes).toEqual([note('96.1')]);
  });

  it('counts once if the purchase spans its month, in any case of its id, with a correction', async () => {
    const whole = { ChargePeriodStart: '2026-01-01T00:00:00Z', ChargePeriodEnd: '2026-02-01T00:00:00Z' };
    const azure = { ProviderName: 'Microsoft', CommitmentDiscountId: '/Reservations/R1' };
    const { notes, costTotal, byDay } = await loaded([
      purchase('62', { ...azure, ...whole }),
      purchase('-2', { ...azure, ...whole, ChargeCategory: 'purchase' }),
      covered('2026-01-10', '20.25', { ...azure, CommitmentDiscountId: '/reservations/r1' }),
      covered('2026-01-11', '39.75', { ...azure, CommitmentDiscountId: '/reservations/r1' }),
    ]);
    expect(costTotal).toBe(money('60'));
    expect(byDay).toMatchObject({ '2026-01-10': money('20.25'), '2026-01-11': money('39.75') });
    expect(notes).toEqual([note('60', 2, '/Reservations/R1', 'azure')]);
  });

  it.each<[how: string, bought: string, used: string]>([
    [
      'its purchase by its ARN, and its usage by the last part',
      'arn:aws:savingsplans::1111:savingsplan/sp-1',
      'sp-1',
    ],
    [
      'its purchase by the last part, and its usage by its ARN',
      'SP-1',
      'arn:aws:savingsplans::1111:savingsplan/sp-1',
    ],
    ['its usage by the last part of an ARN of an instance', 'arn:aws:rds:eu-west-1:1111:ri:db-1', 'db-1'],
  ])('counts once if a bill names %s: 93 + 62, not 248', async (_, bought, used) => {
    const lines = [
      purchase('93', { CommitmentDiscountId: bought }),
      ...january.map((line) => ({ ...line, EffectiveCost: '3', CommitmentDiscountId: used })),
      ...january.map((line) => dayLine((line['ChargePeriodStart'] ?? '').slice(0, 10), '2')),
    ];
    const { costTotal, notes } = await loaded(lines);
    expect(costTotal).toBe(money('155'));
    expect(notes).toEqual([note('93', 1, bought)]);
  });

  it('counts once if its usage is on another bill than its purchase, whichever months are wanted', async () => {
    const lines = [
      purchase('1200', {
        ChargePeriodStart: '2025-12-15T00:00:00Z',
        ChargePeriodEnd: '2025-12-15T01:00:00Z',
        BillingPeriodStart: '2025-12-01T00:00:00Z',
      }),
      covered('2026-01-10', '3.5'),
    ];
    const all = await loaded(lines);
    expect(all.byDay).toEqual({ '2025-12-15': money('0'), '2026-01-10': money('3.5') });
    expect(all.notes).toEqual([note('1200', 1, PLAN, 'aws', '2025-12-01')]);
    const december = await loaded(lines, { endMonth: '2025-12' });
    expect(december.byDay).toEqual({ '2025-12-15': money('0') });
    expect((await loaded(lines, { startMonth: '2026-01' })).notes).toEqual([]);
  });

  it('is in doubt if its purchase is in one source, and its amortised usage in another: 96.1 too much', async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const [payer, member] = [
      await newSource(test.warehouse, orgId, { name: 'Payer' }),
      await newSource(test.warehouse, orgId, { name: 'Member' }),
    ];
    const load = (sourceId: string, lines: readonly FocusLine[]) =>
      loadText(test, { orgId, sourceId }, focusCsv(lines));
    const doubts = async () => {
      const months = await sourceMonths(test.warehouse, orgId, { first: '2026-01', last: '2026-02' });
      return [...months].flatMap(([month, sources]) =>
        sources.flatMap(({ doubts }) =>
          doubts
            .filter(({ code }) => code === 'charges_twice')
            .map(({ sentence, amount, ways_out }) => [
              ...[month, sentence, Number(amount)],
              ...ways_out.map(({ action, source_id }) => `${action} ${source_id ?? ''}`),
            ]),
        ),
      );
    };
    // The plan costs 59 from 1 January to 28 February: 31 in January, and 28 in February.
    const bought = purchase('59', {
      ChargePeriodEnd: '2026-03-01T00:00:00Z',
      SubAccountId: '1000',
      BilledCost: '59',
    });
    await load(payer.id, [bought, dayLine('2026-01-01', '5', { SubAccountId: '1000' })]);
    expect(await doubts()).toEqual([]);
    await load(
      member.id,
      january.map((line) => ({ ...line, CommitmentDiscountId: '1f0c' })),
    );
    const phrase = (amount: string) =>
      `cost source "Payer" has purchases by "aws/1000" of commitments such as "${PLAN}", whose usage cost source "Member" has at ` +
      `amortised cost: ${amount} counts twice`;
    const ways = [`run_source ${payer.id}`, `stands ${payer.id}`, 'accept '];
    expect(await doubts()).toEqual([
      ['2026-01', phrase('31'), 31, ...ways],
      ['2026-02', phrase('28'), 28, ...ways],
    ]);
    // It ends once the payer's export has no cost for it, as FOCUS asks, and if the member's usage is of another plan.
    await load(payer.id, [{ ...bought, EffectiveCost: '0' }]);
    expect(await doubts()).toEqual([]);
    await load(payer.id, [bought]);
    expect(await doubts()).toHaveLength(2);
    await load(
      member.id,
      january.map((line) => ({ ...line, CommitmentDiscountId: '2e9d' })),
    );
    expect(await doubts()).toEqual([]);
  });

  it('counts once in Parquet, also in the list of what bills can be divided by', async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    const lines = [purchase('96.1', { ServiceName: 'Plans' }), ...january];
    const [csv = ''] = await writeFiles(test, { 'bill.csv': focusCsv(lines) });
    const parquet = csv.replace('.csv', '.parquet');
    await test.warehouse.query(`COPY (FROM read_csv('${csv}', all_varchar = true)) TO '${parquet}'`);
    for (const path of [parquet, csv]) {
      const { costTotal, notes } = await loadPaths(test, { orgId, sourceId }, [path]);
      expect([costTotal, notes]).toEqual([money('96.1'), [note('96.1')]]);
      expect(
        await test.warehouse.query(
          `SELECT split_value, cost FROM bill_values SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
           WHERE org_id = $org AND split_kind = 'service' ORDER BY ALL`,
          { org: orgId },
        ),
      ).toEqual([
        { split_value: 'Amazon RDS', cost: money('96.1') },
        { split_value: 'Plans', cost: money('0') },
      ]);
    }
  });

  it.each<[what: string, lines: FocusLine[], total: string]>([
    [
      'its purchase costs nothing, as FOCUS asks',
      [purchase('0', { BilledCost: '96.1' }), ...january],
      '96.1',
    ],
    [
      'its usage costs nothing',
      [purchase('96.1'), covered('2026-01-02', '0'), dayLine('2026-01-02', '4')],
      '100.1',
    ],
    [
      'only a tax is of the same commitment',
      [purchase('96.1'), covered('2026-01-02', '7', { ChargeCategory: 'Tax' })],
      '103.1',
    ],
    [
      'only another commitment is amortised',
      [purchase('50', { CommitmentDiscountId: 'other' }), covered('2026-01-02', '7')],
      '57',
    ],
    [
      'only a commitment of another project has the same name',
      [
        purchase('50', { CommitmentDiscountId: 'projects/a/commitments/c1' }),
        covered('2026-01-02', '7', { CommitmentDiscountId: 'projects/b/commitments/c1' }),
      ],
      '57',
    ],
    [
      'another cloud has a commitment of the same id',
      [purchase('50', { ProviderName: 'Oracle' }), covered('2026-01-02', '7')],
      '57',
    ],
    [
      'the purchase is of no commitment',
      [
        purchase('500', { CommitmentDiscountId: 'NULL' }),
        covered('2026-01-02', '7', { CommitmentDiscountId: '' }),
      ],
      '507',
    ],
  ])('counts as it is, without a note, if %s', async (_, lines, total) => {
    const { notes, costTotal } = await loaded(lines);
    expect([costTotal, notes]).toEqual([money(total), []]);
  });

  it('counts once in the cloud that amortises it, if another cloud has bought one of the same id: 57', async () => {
    const bought = [purchase('96.1'), purchase('50', { ProviderName: 'Oracle' })];
    const { notes, costTotal } = await loaded([...bought, covered('2026-01-02', '7')]);
    expect([costTotal, notes]).toEqual([money('57'), [note('96.1')]]);
  });

  it('costs its purchase if the source counts BilledCost', async () => {
    const { notes, costTotal } = await loaded([purchase('96.1'), ...january], { costColumn: 'BilledCost' });
    expect([costTotal, notes]).toEqual([money('96.1'), []]);
  });

  it('is no reason to fall back: only a BilledCost of usage is', async () => {
    const bought = purchase('0', { BilledCost: '1000' });
    const free = await loaded([bought, covered('2026-01-02', '0'), covered('2026-01-03', '0')]);
    expect([free.costTotal, free.notes]).toEqual([money('0'), []]);
    // With 2.5 of usage, the bill has no EffectiveCost at all, so that all of it counts as invoiced.
    const billed = await loaded([bought, covered('2026-01-02', '0', { BilledCost: '2.5' })]);
    expect([billed.costTotal, billed.notes]).toEqual([
      money('1002.5'),
      [
        'billing period 2026-01-01: EffectiveCost is missing or zero in every row of aws, BilledCost was used instead',
      ],
    ]);
  });

  it('has no credits beside its cost columns, so that amounts in x_Credits are noted', async () => {
    const google = (day: string, cost: string, credits: string): FocusLine =>
      dayLine(day, cost, { ProviderName: 'Google Cloud', x_Credits: credits });
    const { notes, costTotal } = await loaded([
      google(
        '2026-01-10',
        '10',
        '[{"name":"Sustained use","amount":-1.25,"type":"SUSTAINED_USAGE_DISCOUNT"}]',
      ),
      google('2026-01-11', '10', '[{"name":"a","amount":"-2.5"},{"name":"b","amount":-0.25}]'),
      google('2026-01-12', '10', '[{"name":"none","amount":0}]'),
      google('2026-01-13', '10', '[]'),
      google('2026-01-14', '10', 'NULL'),
      google('2026-01-15', '10', '[{"amount":'),
      google('2026-01-16', '10', '{"amount":"much"}'),
      dayLine('2026-01-16', '10'),
    ]);
    expect(costTotal).toBe(money('80'));
    expect(notes).toEqual([
      'billing period 2026-01-01: x_Credits has -4 USD of credits in 2 rows of gcp; only the cost column counts, so check that it has these credits',
    ]);
    expect((await loaded([google('2026-01-12', '10', '[]')])).notes).toEqual([]);
  });

  it('has credits in Parquet as Google stores them', async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    const [csv = ''] = await writeFiles(test, {
      'bill.csv': focusCsv([dayLine('2026-01-10', '8', { ProviderName: 'Google Cloud' })]),
    });
    const parquet = csv.replace('.csv', '.parquet');
    await test.warehouse.query(
      `COPY (SELECT *, [{'name': 'Free tier', 'amount': -0.75::DECIMAL(38,9)}, {'name': 'Refund', 'amount': -1}] AS x_Credits
             FROM read_csv('${csv}', all_varchar = true)) TO '${parquet}'`,
    );
    expect((await loadPaths(test, { orgId, sourceId }, [parquet])).notes).toEqual([
      'billing period 2026-01-01: x_Credits has -1.75 USD of credits in 1 rows of gcp; only the cost column counts, so check that it has these credits',
    ]);
  });
});
