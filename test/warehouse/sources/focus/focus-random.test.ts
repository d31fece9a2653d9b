import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FOCUS_EXPORTS, SEED } from '../../../support/effort.ts';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import { focusCsv, type FocusLine } from '../../../support/exports/focus-export.ts';
import {
  loadPaths,
  newOrganisation,
  newSource,
  spendByDay,
  writeFiles,
} from '../../../support/warehouse/tenant.ts';
import { choose, type Chosen } from '../../../support/warehouse/spend-choices.ts';
import {
  NAIVE_CLOUDS,
  naiveDailyTotals,
  naiveMeaning,
  naiveSpend,
  textOf,
  unitsOf,
  type NaiveLine,
  type NaiveSpendRow,
} from './focus-naive.ts';
import { COUNTED_TEST_MS } from '../../../support/patience.ts';
import { withOpened } from '../../../support/with-opened.ts';

const test = withOpened(openDuckDb);

interface RandomRow extends NaiveLine, Pick<NaiveSpendRow, 'start' | 'end' | 'service' | 'tags'> {
  line: FocusLine;
}

const HOUR = 3_600_000;
const BEGIN = Date.parse('2025-12-28T00:00:00Z');

/** Amounts of every size and sign, some with fifteen decimals, some too precise for a double. */
const amount = fc
  .tuple(
    fc.boolean(),
    fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2_000_000_000 })),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\d{1,15}$/)),
  )
  .map(
    ([negative, whole, decimals]) => `${negative ? '-' : ''}${whole}${decimals === '' ? '' : `.${decimals}`}`,
  );

/** From zero to two months, most of them short, some with odd seconds. */
const duration = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, HOUR, 24 * HOUR) },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 60 }).map((hours) => hours * HOUR) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 * 86_400 }).map((seconds) => seconds * 1000) },
);
const start = fc.oneof(
  fc.integer({ min: 0, max: 40 * 24 }).map((hours) => BEGIN + hours * HOUR),
  fc.integer({ min: 0, max: 40 * 86_400 }).map((seconds) => BEGIN + seconds * 1000),
);

/** Returns an instant in one of the forms of exports. */
function written(instant: Date, form: number): string {
  const iso = instant.toISOString().slice(0, 19);
  const shifted = new Date(instant.getTime() + 2 * HOUR).toISOString().slice(0, 19);
  return [`${iso}Z`, iso.replace('T', ' '), `${shifted}+02:00`, iso][form % 4] ?? iso;
}

const KEYS = ['team', 'a/b "c"', 'env'];

/** Tags in the order of the export: keys with spaces around them or repeated, values of every type. */
const tags = fc.array(
  fc.tuple(
    fc
      .tuple(fc.constantFrom('', ' ', '  '), fc.constantFrom(...KEYS, 'Team'), fc.constantFrom('', '', ' '))
      .map((parts) => parts.join('')),
    fc.constantFrom<unknown>('x', ' y ', 'z', '', 'NULL', 'a team', 12, -0.5, true, null, {
      x: [1, 'b,"c"'],
    }),
  ),
  { maxLength: 4 },
);
function tagsText(entries: readonly (readonly [string, unknown])[], form: number): string {
  const colon = [':', ': ', ' :'][form % 3] ?? ':';
  const comma = [',', ', ', ',\n'][form % 3] ?? ',';
  return `{${entries.map(([key, value]) => JSON.stringify(key) + colon + JSON.stringify(value)).join(comma)}}`;
}

const PERIODS = ['2025-12-01', '2026-01-01', '2026-02-01'];
const PROVIDER_COLUMNS = ['ServiceProviderName', 'ProviderName', 'InvoiceIssuerName', 'PublisherName'];
const GROUPS: Record<string, string> = { '/subscriptions/1/RESOURCEgroups/rg-A/x': 'rg-A' };

const firstDay = fc
  .integer({ min: -3, max: 60 })
  .map((days) => new Date(BEGIN + days * 24 * HOUR).toISOString().slice(0, 10));
/** A tag key for some of the clouds, and a split for some of their accounts. */
const randomChoices: fc.Arbitrary<Chosen[]> = fc
  .tuple(
    ...Object.values(NAIVE_CLOUDS).flatMap((cloud) => [
      fc.record({
        kind: fc.constant('tag' as const),
        cloud: fc.constant(cloud),
        choice: fc.constantFrom(...KEYS),
        firstDay,
      }),
      ...['1111', '2222', '1000', '-2'].map((account) =>
        fc.record({
          kind: fc.constant('split' as const),
          cloud: fc.constant(cloud),
          account: fc.constant(account),
          choice: fc.constantFrom('service', 'resource_group'),
          firstDay,
        }),
      ),
    ]),
  )
  .chain((all) => fc.subarray<Chosen>(all));

const provider = fc.constantFrom('AWS', 'Microsoft', 'Acme');
/** The four provider columns: empty ones, then the one that decides, then any others. */
const providers = fc
  .tuple(fc.integer({ min: 0, max: 3 }), provider, fc.tuple(provider, provider, provider, provider))
  .map(([first, name, others]) =>
    others.map((other, index) => (index < first ? null : index === first ? name : other)),
  );

/** Providers and months whose bills have no EffectiveCost. */
const withoutEffectiveCost = fc.subarray(
  Object.keys(NAIVE_CLOUDS).flatMap((name) => PERIODS.map((period) => `${name} ${period}`)),
);

const randomRow: fc.Arbitrary<RandomRow> = fc
  .record({
    start,
    duration,
    amount,
    billed: fc.oneof(fc.constant('0'), amount),
    form: fc.integer({ min: 0, max: 3 }),
    period: fc.constantFrom(...PERIODS),
    account: fc.constantFrom('1111', '2222', 'NULL', '-2', 'UNASSIGNED'),
    providers,
    usage: fc.boolean(),
    commitment: fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, fc.constantFrom('plan 1', 'plan 2')),
    category: fc.constantFrom('Compute', 'Databases'),
    resource: fc.constantFrom('i-1', 'I-1', 'NULL', 'Unassigned', ...Object.keys(GROUPS)),
    service: fc.constantFrom('VM', 'Disk, "big"', 'null'),
    group: fc.constantFrom('NULL', '', 'Rg-B', 'unassigned'),
    tags: fc.oneof({ weight: 4, arbitrary: tags }, fc.constantFrom('', 'NULL', '{', '["team"]', '{"team":}')),
  })
  .map((row) => {
    const [from, to] = [new Date(row.start), new Date(row.start + row.duration)];
    return {
      start: from,
      end: to,
      effective: row.amount,
      billed: row.billed,
      period: row.period,
      providers: row.providers,
      usage: row.usage,
      commitment: row.commitment,
      subAccount: row.account === 'NULL' ? null : row.account,
      billingAccount: '1000',
      groups: [row.group === 'NULL' || row.group === '' ? null : row.group, GROUPS[row.resource] ?? null],
      service: row.service === 'null' ? null : row.service,
      tags: typeof row.tags === 'string' ? [] : row.tags,
      line: {
        ChargePeriodStart: written(from, row.form),
        ChargePeriodEnd: written(to, row.form + 1),
        BillingPeriodStart: row.period,
        BilledCost: row.billed,
        EffectiveCost: row.amount,
        ChargeCategory: row.usage ? 'Usage' : 'Purchase',
        CommitmentDiscountId: row.commitment ?? 'NULL',
        SubAccountId: row.account,
        ...Object.fromEntries(PROVIDER_COLUMNS.map((name, index) => [name, row.providers[index] ?? 'NULL'])),
        ServiceCategory: row.category,
        ResourceId: row.resource,
        ServiceName: row.service,
        x_ResourceGroupName: row.group,
        Tags: typeof row.tags === 'string' ? row.tags : tagsText(row.tags, row.form),
      },
    };
  });

/** Returns the row, without an EffectiveCost if its provider's bill of the period has none. */
const lacking = (row: RandomRow, bills: readonly string[]): RandomRow =>
  bills.includes(`${row.providers.find((name) => name !== null) ?? ''} ${row.period}`)
    ? { ...row, effective: '0', line: { ...row.line, EffectiveCost: '0.00' } }
    : row;

async function spendByAll(orgId: string): Promise<Record<string, string>> {
  const rows = await test.warehouse.query<Record<string, string | null> & { cost: string }>(
    `SELECT day, cloud, account, split_kind, split_value, tag_key, tag_value, sum(cost) AS cost
     FROM cloud_spend WHERE org_id = $org GROUP BY ALL`,
    { org: orgId },
  );
  return Object.fromEntries(rows.map(({ cost, ...by }) => [JSON.stringify(Object.values(by)), cost]));
}

it('spreads random exports exactly like a row-by-row calculation', { timeout: COUNTED_TEST_MS }, async () => {
  process.stdout.write(`random FOCUS exports: SEED=${SEED}\n`);
  await fc.assert(
    fc.asyncProperty(
      fc.array(randomRow, { minLength: 1, maxLength: 30 }),
      fc.boolean(),
      fc.oneof(fc.constant([]), randomChoices),
      withoutEffectiveCost,
      async (rows, twoFiles, choices, bills) => {
        // Some rows come twice, like the same charge for two resources of one kind.
        const lines = [...rows, ...rows.slice(0, 3)].map((row) => lacking(row, bills));
        const all = lines.map((line) => ({ ...line, ...naiveMeaning(line, lines) }));
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
        await choose(test, orgId, ...choices);
        const paths = await writeFiles(test, twoFiles ? files : { 'a.csv': files['a.csv'] });
        const result = await loadPaths(test, { orgId, sourceId }, paths, {
          now: new Date('2027-01-01T00:00:00Z'),
        });
        expect(await spendByDay(test.warehouse, orgId)).toEqual(naiveDailyTotals(all));
        expect(await spendByAll(orgId)).toEqual(naiveSpend(all, choices));
        const total = all.reduce((sum, { cost }) => sum + unitsOf(cost), 0n);
        expect(result).toMatchObject({ rowsRead: all.length, rowsRejected: 0, costTotal: textOf(total) });
      },
    ),
    { seed: SEED, numRuns: FOCUS_EXPORTS },
  );
});
