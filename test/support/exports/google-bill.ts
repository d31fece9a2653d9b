import Big from 'big.js';
import type { FocusLine } from './focus-export.ts';
import type { FakeField, FakeTable } from '../fakes/bigquery/fake-tables.ts';

/** A charge of Google Cloud, as its billing export knows it. Missing fields get usual values. */
export interface GoogleCharge {
  /** The begin and the end of the usage, in UTC. */
  from?: string | null;
  to?: string | null;
  /** Such as `202601`; null if the line has none. */
  invoice?: string | null;
  /** Null for charges of the billing account itself. */
  project?: string | null;
  service?: string;
  /** The id and the name of the resource, in tables of detailed usage cost. */
  resource?: { id: string; name: string } | null;
  zone?: string | null;
  labels?: Readonly<Record<string, string>>;
  /** A decimal, before credits; null if the line has none. */
  cost?: string | null;
  credits?: readonly string[];
  costType?: 'regular' | 'tax' | 'adjustment' | 'rounding_error';
  currency?: string;
  exported?: string;
}

/** The UTC day on which the lines were exported, unless they say otherwise. */
export const EXPORTED_ON = '2026-02-05';

const BILLING_ACCOUNT = '01AAAA-02BBBB-03CCCC';

const complete = (charge: GoogleCharge): Required<GoogleCharge> => ({
  from: '2026-01-10T00:00:00Z',
  to: '2026-01-10T01:00:00Z',
  invoice: (charge.from ?? '2026-01').slice(0, 7).replace('-', ''),
  project: 'shop',
  service: 'Compute Engine',
  resource: null,
  zone: null,
  labels: {},
  cost: '0',
  credits: [],
  costType: 'regular',
  currency: 'USD',
  exported: `${EXPORTED_ON}T03:00:00Z`,
  ...charge,
});

const field = (name: string, type: string, mode?: string): FakeField => ({
  name,
  type,
  ...(mode === undefined ? {} : { mode }),
});
const record = (name: string, fields: FakeField[], mode = 'NULLABLE'): FakeField => ({
  name,
  type: 'RECORD',
  mode,
  fields,
});
const texts = (...names: string[]): FakeField[] => names.map((name) => field(name, 'STRING'));
const pairs = (name: string): FakeField => record(name, texts('key', 'value'), 'REPEATED');

const STANDARD: FakeField[] = [
  field('billing_account_id', 'STRING'),
  record('service', texts('id', 'description')),
  record('sku', texts('id', 'description')),
  field('usage_start_time', 'TIMESTAMP'),
  field('usage_end_time', 'TIMESTAMP'),
  record('project', [...texts('id', 'number', 'name'), pairs('labels')]),
  pairs('labels'),
  pairs('system_labels'),
  record('location', texts('location', 'country', 'region', 'zone')),
  field('export_time', 'TIMESTAMP'),
  field('cost', 'FLOAT'),
  field('currency', 'STRING'),
  record('credits', [field('name', 'STRING'), field('amount', 'FLOAT'), field('type', 'STRING')], 'REPEATED'),
  record('invoice', texts('month', 'publisher_type')),
  field('cost_type', 'STRING'),
];

const RESOURCE = record('resource', texts('name', 'global_name'));

const labelsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([key, value]) => ({ key, value }));

function standardRow(charge: GoogleCharge) {
  const { from, to, invoice, project, service, zone, labels, cost, credits, costType, currency, exported } =
    complete(charge);
  return {
    billing_account_id: BILLING_ACCOUNT,
    service: { id: '6F81-5844-456A', description: service },
    sku: { id: '0012-AAAA-BBBB', description: 'A unit' },
    usage_start_time: from,
    usage_end_time: to,
    project: { id: project, number: '123456', name: project === null ? null : nameOf(project), labels: [] },
    labels: labelsOf(labels),
    system_labels: [],
    location: { location: zone, country: 'DE', region: zone?.replace(/-[a-z]$/, '') ?? null, zone },
    export_time: exported,
    cost: cost === null ? null : Number(cost),
    currency,
    credits: credits.map((amount) => ({
      name: 'Committed use',
      amount: Number(amount),
      type: 'COMMITTED_USAGE_DISCOUNT',
    })),
    invoice: { month: invoice, publisher_type: 'GOOGLE' },
    cost_type: costType,
  };
}

const nameOf = (project: string): string => `The ${project}`;

/** The day on which Google exported a line, which is its partition. */
const partition = (row: object): string | null =>
  'export_time' in row ? String(row.export_time).slice(0, 10) : null;

/** Returns a table of standard usage cost. */
export const standardTable = (charges: readonly GoogleCharge[]): FakeTable => ({
  fields: STANDARD,
  rows: charges.map(standardRow),
  partition,
});

/** Returns a table of detailed usage cost. */
export const detailedTable = (charges: readonly GoogleCharge[]): FakeTable => ({
  fields: [...STANDARD, RESOURCE],
  rows: charges.map((charge) => {
    const { resource } = complete(charge);
    return {
      ...standardRow(charge),
      resource: { name: resource?.name ?? null, global_name: resource?.id ?? null },
    };
  }),
  partition,
});

const TAG = [...texts('Key', 'Value'), field('x_Inherited', 'BOOLEAN'), field('x_Namespace', 'STRING')];

/** How a table of FOCUS holds its tags: as Google writes them, or as JSON. */
type TagsAs = 'entries' | 'json' | 'text';

const TAGS: Record<TagsAs, FakeField> = {
  entries: record('Tags', TAG, 'REPEATED'),
  json: field('Tags', 'JSON'),
  text: field('Tags', 'STRING'),
};

/** Returns a table like Google's own with the columns of FOCUS. */
export const focusTableOf = (charges: readonly GoogleCharge[], tagsAs: TagsAs = 'entries'): FakeTable => ({
  fields: [
    field('BilledCost', 'NUMERIC'),
    field('EffectiveCost', 'NUMERIC'),
    field('BillingCurrency', 'STRING'),
    field('BillingPeriodStart', 'TIMESTAMP'),
    field('BillingPeriodEnd', 'TIMESTAMP'),
    field('ChargePeriodStart', 'TIMESTAMP'),
    field('ChargePeriodEnd', 'TIMESTAMP'),
    ...texts('ChargeCategory', 'ProviderName', 'PublisherName', 'InvoiceIssuerName', 'BillingAccountId'),
    ...texts('SubAccountId', 'SubAccountName', 'ServiceName', 'ResourceId', 'ResourceName', 'RegionId'),
    TAGS[tagsAs],
    record('x_Credits', [field('Name', 'STRING'), field('Amount', 'NUMERIC')], 'REPEATED'),
    field('x_ExportTime', 'TIMESTAMP'),
  ],
  rows: charges.map((charge) => {
    const { labels, credits, exported } = complete(charge);
    const { EffectiveCost, BilledCost, Tags: _tags, x_Credits: _credits, ...line } = focusLine(charge);
    return {
      ...Object.fromEntries(
        Object.entries(line).map(([name, value]) => [name, value === 'NULL' ? null : value]),
      ),
      EffectiveCost: EffectiveCost === 'NULL' ? null : EffectiveCost,
      BilledCost: BilledCost === 'NULL' ? null : BilledCost,
      Tags:
        tagsAs === 'entries'
          ? Object.entries(labels).map(([Key, Value]) => ({
              Key,
              Value,
              x_Inherited: false,
              x_Namespace: null,
            }))
          : tagsAs === 'json'
            ? labels
            : JSON.stringify(labels),
      x_Credits: credits.map((Amount) => ({ Name: 'Committed use', Amount })),
      x_ExportTime: exported,
    };
  }),
});

/** Returns a table of FOCUS lines as someone has loaded them from a file: all columns are texts. */
export function textTable(lines: readonly FocusLine[]): FakeTable {
  const names = [...new Set(lines.flatMap((line) => Object.keys(line)))];
  return { fields: texts(...names), rows: lines.map((line) => ({ ...line })) };
}

/** Returns the same charge as a line of a FOCUS export in a file. */
export function focusLine(charge: GoogleCharge): FocusLine {
  const { from, to, invoice, project, service, resource, zone, labels, cost, credits, costType, currency } =
    complete(charge);
  const total =
    cost === null ? 'NULL' : credits.reduce((sum, credit) => sum.plus(credit), Big(cost)).toFixed();
  const month = invoice === null ? null : new Date(`${invoice.slice(0, 4)}-${invoice.slice(4)}-01T00:00:00Z`);
  return {
    ProviderName: 'Google Cloud',
    PublisherName: 'Google Cloud',
    InvoiceIssuerName: 'Google Cloud',
    BillingAccountId: BILLING_ACCOUNT,
    SubAccountId: project ?? 'NULL',
    SubAccountName: project === null ? 'NULL' : nameOf(project),
    BillingCurrency: currency,
    BillingPeriodStart: month?.toISOString() ?? 'NULL',
    BillingPeriodEnd:
      month === null
        ? 'NULL'
        : new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1)).toISOString(),
    ChargePeriodStart: from ?? 'NULL',
    ChargePeriodEnd: to ?? 'NULL',
    ChargeCategory: costType === 'tax' ? 'Tax' : costType === 'regular' ? 'Usage' : 'Adjustment',
    EffectiveCost: total,
    BilledCost: total,
    ServiceName: service,
    ResourceId: resource?.id ?? 'NULL',
    ResourceName: resource?.name ?? 'NULL',
    RegionId: zone ?? 'NULL',
    Tags: JSON.stringify(labels),
  };
}
