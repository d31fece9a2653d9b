import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDuckDb, type TestWarehouse } from '../support/engines.ts';
import { focusCsv, type FocusLine } from '../support/focus-export.ts';
import { loadPaths, newOrganisation, newSource, spendByDay, writeFiles } from '../support/tenant.ts';
import { naiveDailyTotals, textOf, unitsOf } from './focus-naive.ts';

const RUNS = 100;

let test: TestWarehouse;
beforeAll(async () => {
  test = await openDuckDb();
});
afterAll(() => test.close());

interface RandomRow {
  start: Date;
  end: Date;
  cost: string;
  line: FocusLine;
}

const HOUR = 3_600_000;
const BEGIN = Date.parse('2025-12-28T00:00:00Z');

/** Amounts of every size and sign, some with fifteen decimals, some far beyond a double. */
const amount = fc
  .tuple(
    fc.boolean(),
    fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2_000_000_000 })),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\d{1,15}$/)),
  )
  .map(
    ([negative, whole, decimals]) => `${negative ? '-' : ''}${whole}${decimals === '' ? '' : `.${decimals}`}`,
  );

/** From nothing over hours and days to two months, most of them short, some at odd seconds. */
const duration = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, HOUR, 24 * HOUR) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 60 }).map((hours) => hours * HOUR) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 * 86_400 }).map((seconds) => seconds * 1000) },
);
const start = fc.oneof(
  fc.integer({ min: 0, max: 40 * 24 }).map((hours) => BEGIN + hours * HOUR),
  fc.integer({ min: 0, max: 40 * 86_400 }).map((seconds) => BEGIN + seconds * 1000),
);

/** One instant in the forms that exports write it in. */
const written = (instant: Date, form: number): string => {
  const iso = instant.toISOString().slice(0, 19);
  const shifted = new Date(instant.getTime() + 2 * HOUR).toISOString().slice(0, 19);
  return [`${iso}Z`, iso.replace('T', ' '), `${shifted}+02:00`, iso][form % 4] ?? iso;
};

const randomRow: fc.Arbitrary<RandomRow> = fc
  .record({
    start,
    duration,
    amount,
    form: fc.integer({ min: 0, max: 3 }),
    period: fc.constantFrom('2025-12-01', '2026-01-01', '2026-02-01'),
    account: fc.constantFrom('1111', '2222', 'NULL'),
    provider: fc.constantFrom('AWS', 'Microsoft', 'Acme'),
    category: fc.constantFrom('Compute', 'Databases'),
    resource: fc.constantFrom('i-1', 'I-1', 'NULL'),
    tags: fc.constantFrom('', '{"a": "b,""c"}', '{\n"team": "x"\n}'),
  })
  .map((row) => {
    const [from, to] = [new Date(row.start), new Date(row.start + row.duration)];
    return {
      start: from,
      end: to,
      cost: row.amount,
      line: {
        ChargePeriodStart: written(from, row.form),
        ChargePeriodEnd: written(to, row.form + 1),
        BillingPeriodStart: row.period,
        // The other column must not matter, not even in a period without any effective cost.
        BilledCost: '0',
        EffectiveCost: row.amount,
        SubAccountId: row.account,
        ProviderName: row.provider,
        ServiceCategory: row.category,
        ResourceId: row.resource,
        Tags: row.tags,
      },
    };
  });

it('spreads random exports exactly as a row-by-row calculation does', { timeout: 300_000 }, async () => {
  const seed = process.env['SEED'] === undefined ? Date.now() % 2 ** 31 : Number(process.env['SEED']);
  process.stdout.write(`random FOCUS exports: SEED=${seed}\n`);
  await fc.assert(
    fc.asyncProperty(
      fc.array(randomRow, { minLength: 1, maxLength: 30 }),
      fc.boolean(),
      async (rows, twoFiles) => {
        // Some rows come twice: the same charge for two resources of one kind.
        const all = [...rows, ...rows.slice(0, 3)];
        const half = twoFiles ? Math.ceil(all.length / 2) : all.length;
        const parts = [all.slice(0, half), all.slice(half)].map((part) => part.map(({ line }) => line));
        const files = {
          'a.csv': focusCsv(parts[0] ?? []),
          'b.csv': focusCsv(
            parts[1] ?? [],
            Object.keys(rows[0]?.line ?? {}).concat('BillingCurrency', 'BillingAccountId'),
          ),
        };
        const { id: orgId } = await newOrganisation(test.warehouse);
        const { id: sourceId } = await newSource(test.warehouse, orgId);
        const paths = await writeFiles(test, twoFiles ? files : { 'a.csv': files['a.csv'] });
        const result = await loadPaths(test, { orgId, sourceId }, paths, {
          now: new Date('2027-01-01T00:00:00Z'),
        });
        expect(await spendByDay(test.warehouse, orgId)).toEqual(naiveDailyTotals(all));
        const total = all.reduce((sum, { cost }) => sum + unitsOf(cost), 0n);
        expect(result).toMatchObject({ rowsRead: all.length, rowsRejected: 0, costTotal: textOf(total) });
      },
    ),
    { seed, numRuns: RUNS },
  );
});
