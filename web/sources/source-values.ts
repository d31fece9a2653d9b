import type { paths } from '../http/generated/api-types.d.ts';
import type { Day } from '../shared/calendar.ts';
import type { SourceKind } from './source-kinds.ts';
import type { CostSource } from './sources-queries.ts';

/** Which column of a FOCUS export is its cost. */
export const COST_COLUMNS = ['EffectiveCost', 'BilledCost'] as const;

/** Whether machines are on a bill, in words. */
export const ON_BILL = {
  auto: 'Not known: hold months back',
  always: 'On a connected bill',
  never: 'On no bill',
} as const;
type OnBill = keyof typeof ON_BILL;

/** What people fill in about a source. A field that its kind does not have stays empty. */
export interface SourceValues {
  name: string;
  kind: SourceKind;
  location: string;
  currency: string;
  costColumn: (typeof COST_COLUMNS)[number];
  cluster: string;
  assetsLocation: string;
  usageLocation: string;
  onBill: OnBill;
  isRead: boolean;
  startsOn: Day | null;
}

/** Returns what the form of a source shows at first; of none, that of a new source. */
export const valuesOf = (source: CostSource | undefined): SourceValues => ({
  name: source?.name ?? '',
  kind: source?.kind ?? 'focus',
  location: source?.location ?? '',
  currency: source?.currency ?? '',
  costColumn: source?.kind === 'focus' ? source.options.cost_column : 'EffectiveCost',
  cluster: source?.kind === 'opencost' ? (source.options.cluster ?? '') : '',
  assetsLocation: source?.kind === 'opencost' ? (source.options.assets_location ?? '') : '',
  usageLocation: source?.kind === 'ai_tools' ? source.options.usage_location : '',
  onBill:
    source?.kind === 'opencost' || source?.kind === 'hosts' ? (source.options.on_bill ?? 'auto') : 'auto',
  isRead: !(source?.schedule_paused ?? false),
  startsOn: source?.starts_on ?? null,
});

type NewSource = paths['/api/v1/cost-sources']['post']['requestBody']['content']['application/json'];
type Changes = paths['/api/v1/cost-sources/{id}']['patch']['requestBody']['content']['application/json'];

const commonOf = ({ name, location, currency, isRead, startsOn }: SourceValues) => ({
  name: name.trim(),
  location: location.trim(),
  currency: currency.trim() === '' ? null : currency.trim(),
  schedule_paused: !isRead,
  starts_on: startsOn,
});

const openCostOptions = ({ cluster, assetsLocation, onBill }: SourceValues) => ({
  on_bill: onBill,
  ...(cluster.trim() !== '' && { cluster: cluster.trim() }),
  ...(assetsLocation.trim() !== '' && { assets_location: assetsLocation.trim() }),
});

/** The body that creates a source. */
export function bodyOfNew(values: SourceValues): NewSource {
  const common = commonOf(values);
  switch (values.kind) {
    case 'focus':
      return { ...common, kind: 'focus', options: { cost_column: values.costColumn } };
    case 'opencost':
      return { ...common, kind: 'opencost', options: openCostOptions(values) };
    case 'hosts':
      return { ...common, kind: 'hosts', options: { on_bill: values.onBill } };
    case 'ai_tools':
      return { ...common, kind: 'ai_tools', options: { usage_location: values.usageLocation.trim() } };
  }
}

/** The body that changes a source. Its kind stays. */
export function changesOf(values: SourceValues): Changes {
  const { kind: _, ...changes } = bodyOfNew(values);
  return changes;
}
