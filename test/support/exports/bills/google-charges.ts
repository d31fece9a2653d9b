import { csvTable } from './csv-table.ts';
import { hourOf, type Charge } from './charges.ts';

type Given = Pick<Charge, 'line' | 'effective'> & Partial<Charge>;

const CATEGORY: Readonly<Record<string, Charge['category']>> = {
  tax: 'Tax',
  adjustment: 'Credit',
  rounding_error: 'Credit',
};

/** Returns a charge of Google on 10 January. Its line is the type of its cost. `native.credits` are amounts of credits. */
const charge = ({ line, native = {}, ...given }: Given): Charge => ({
  line,
  ...hourOf('2026-01-10'),
  account: 'shop-prod',
  accountName: 'Shop',
  service: 'Compute Engine',
  resource: null,
  tags: { team: line },
  category: CATEGORY[line] ?? 'Usage',
  billed: given.effective,
  ...given,
  native: { cost: given.effective, ...native },
});

const MACHINE = '//compute.googleapis.com/projects/42/zones/us-central1-a/instances/7001';

/** The charges of an organisation, with credits of each kind. */
export const GOOGLE_CHARGES: readonly Charge[] = [
  charge({
    line: 'regular',
    effective: '1.25',
    resource: MACHINE,
    native: { resource_name: 'vm-1', zone: 'us-central1-a' },
  }),
  // 2 − 0.3 − 0.55 of a discount and a promotion.
  charge({
    line: 'regular',
    effective: '1.15',
    ...hourOf('2026-01-31'),
    native: { cost: '2', credits: '-0.3 -0.55' },
  }),
  charge({
    line: 'regular',
    effective: '0.30000000004',
    service: 'Cloud Storage',
    account: 'other',
    accountName: 'Other',
    tags: { 'cost-center': 'a, "b"' },
  }),
  // A free tier takes all of it.
  charge({ line: 'regular', effective: '0', native: { cost: '0.000001', credits: '-0.000001' }, tags: {} }),
  // Its hour is the last one of January in UTC, and its invoice is February's.
  charge({ line: 'regular', effective: '3', ...hourOf('2026-01-31', 22), period: '2026-02-01' }),
  charge({
    line: 'tax',
    effective: '0.7',
    ...hourOf('2026-01-31', 8),
    account: '01AB-CD',
    accountName: '',
    service: 'Invoice',
    tags: {},
    native: { project: '' },
  }),
  charge({ line: 'adjustment', effective: '-4' }),
  charge({ line: 'rounding_error', effective: '0.004' }),
];

/** 1.25 + 1.15 + 0.30000000004 + 3 + 0.7 − 4 + 0.004 */
export const GOOGLE_TOTAL = '2.40400000004';

const listOf = (text: string): { name: string; amount: number }[] =>
  text === '' ? [] : text.split(' ').map((amount) => ({ name: 'credit', amount: Number(amount) }));

const utc = (instant: string): string => instant.replace('T', ' ').replace('Z', ' UTC');

/** Returns the detailed usage cost table as CSV, with nested columns as columns of their own. */
export const usageCosts = (charges: readonly Charge[]): string =>
  csvTable(
    charges.map((charge) => ({
      billing_account_id: '01AB-CD',
      'service.id': '6F81-5844-456A',
      'service.description': charge.service,
      usage_start_time: utc(charge.start),
      usage_end_time: utc(charge.end),
      'project.id': charge.native['project'] ?? charge.account,
      'project.name': charge.accountName,
      labels: JSON.stringify(Object.entries(charge.tags).map(([key, value]) => ({ key, value }))),
      'location.zone': charge.native['zone'] ?? '',
      'resource.name': charge.native['resource_name'] ?? '',
      'resource.global_name': charge.resource ?? '',
      cost: charge.native['cost'] ?? '',
      currency: 'USD',
      credits: JSON.stringify(listOf(charge.native['credits'] ?? '')),
      'invoice.month': charge.period.slice(0, 7).replace('-', ''),
      cost_type: charge.line,
      export_time: '2026-02-03 04:05:06 UTC',
    })),
  );

/** Returns a SELECT of the table as BigQuery exports it: with nested columns. `isOlder` writes entries of lists within a `list`. */
export function nestedUsageCosts(csvFile: string, isOlder = false): string {
  const list = (name: string, type: string): string => {
    const plain = `CAST(CAST(${name} AS JSON) AS ${type}[])`;
    return `${isOlder ? `{'list': list_transform(${plain}, lambda entry: {'element': entry})}` : plain} AS ${name}`;
  };
  return `SELECT billing_account_id, {'id': "service.id", 'description': "service.description"} AS service,
      CAST(replace(usage_start_time, ' UTC', '') AS TIMESTAMPTZ) AS usage_start_time,
      CAST(replace(usage_end_time, ' UTC', '') AS TIMESTAMPTZ) AS usage_end_time,
      {'id': "project.id", 'number': '42', 'name': "project.name"} AS project, ${list('labels', 'STRUCT(key VARCHAR, value VARCHAR)')},
      {'location': 'us-central1', 'zone': "location.zone"} AS location,
      {'name': "resource.name", 'global_name': "resource.global_name"} AS resource, CAST(cost AS DOUBLE) AS cost, currency,
      ${list('credits', 'STRUCT(name VARCHAR, amount DOUBLE)')}, {'month': "invoice.month"} AS invoice, cost_type
    FROM read_csv('${csvFile}', header = true, all_varchar = true)`;
}
