import { quoted } from '../feeds/cells.ts';
import type { BillFormat, NativeValue } from './bill-format.ts';
import { costBy, type CostRule, type Term } from './costs.ts';
import { fieldsOf, type NativeColumn } from './native-row.ts';
import { always, cell, period, textIn, translated } from './values.ts';

// Google's standard and detailed usage cost tables, exported from BigQuery. Parquet has nested columns. In CSV they are columns of
// their own, such as `project.id` or `project_id`, and lists are JSON text.

/** Amounts that a sum of credits can hold. Others are no amounts of a bill. */
const LARGEST_CREDIT = 1e15;
const CREDIT = 'cost_analytics_credit';

/** Credits are a list with negative amounts, of which a line can have several. A line without any has none. */
const CREDITS: Term = {
  names: ['credits'],
  isOptional: true,
  amountOf: (_row, column) => {
    const list = listIn(column);
    const amounts =
      list === null
        ? `json_extract_string(${quoted(column.name)}, '$[*].amount')`
        : `list_transform(${list}, lambda ${CREDIT}: CAST(${CREDIT}.amount AS VARCHAR))`;
    const credits = `list_transform(${amounts}, lambda ${CREDIT}: TRY_CAST(${CREDIT} AS DECIMAL(38,15)))`;
    // An amount that cannot be read makes the whole line unreadable.
    const sum = `CASE WHEN len(list_filter(${credits}, lambda ${CREDIT}: ${CREDIT} IS NULL OR abs(${CREDIT}) > ${LARGEST_CREDIT})) = 0
      THEN COALESCE(CAST(list_sum(${credits}) AS DECIMAL(38,15)), 0) END`;
    return list === null ? `CASE WHEN json_valid(${quoted(column.name)}) THEN ${sum} END` : sum;
  },
};

const RULES: readonly CostRule[] = [{ lines: 'all lines', where: [], cost: [{ names: ['cost'] }, CREDITS] }];

/** Returns labels as a list of keys and values; in CSV they are JSON text, an object or such a list. */
const labels = (name: string): NativeValue => ({
  words: `\`${name}\``,
  needs: [],
  reads: [name],
  in: (row) => {
    const column = row.first([name]);
    if (column === null) return null;
    const list = listIn(column);
    const { called } = column;
    if (list !== null) return { sql: list, type: 'STRUCT("key" VARCHAR, "value" VARCHAR)[]', called };
    const text = textIn(row, column);
    const object = `map_from_entries(list_transform(TRY_CAST(CAST(${text} AS JSON) AS STRUCT(key VARCHAR, value VARCHAR)[]),
        lambda cost_analytics_entry: (cost_analytics_entry.key, cost_analytics_entry.value)))`;
    return {
      sql: `CASE WHEN starts_with(ltrim(${text}), '[') THEN CASE WHEN json_valid(${text}) THEN TRY(CAST(to_json(${object}) AS VARCHAR)) END ELSE ${text} END`,
      type: 'VARCHAR',
      called,
    };
  },
});

export const GCP_BILLING: BillFormat = {
  columns: {
    EffectiveCost: costBy('EffectiveCost', RULES),
    BilledCost: costBy('BilledCost', RULES),
    BillingCurrency: cell('currency'),
    ChargePeriodStart: cell('usage_start_time'),
    ChargePeriodEnd: cell('usage_end_time'),
    BillingPeriodStart: period(['invoice.month'], (month) => `TRY_STRPTIME(${month} || '01', '%Y%m%d')`, {
      words: 'the first day of `invoice.month`',
    }),
    ProviderName: always('Google Cloud'),
    SubAccountId: cell('project.id'),
    BillingAccountId: cell('billing_account_id'),
    SubAccountName: cell('project.name'),
    ChargeCategory: translated(
      ['cost_type'],
      { Tax: ['tax'], Adjustment: ['adjustment', 'rounding_error'] },
      'Usage',
    ),
    ServiceName: cell('service.description'),
    ResourceId: cell('resource.global_name', 'resource.name'),
    ResourceName: cell('resource.name'),
    AvailabilityZone: cell('location.zone'),
  },
  tags: labels('labels'),
};

/** Returns the SQL of a nested column as a list of its entries; null for text. Older exports have an entry within a `list`. */
function listIn({ name, type }: Pick<NativeColumn, 'name' | 'type'>): string | null {
  if (type.endsWith('[]')) {
    const [only, ...others] = fieldsOf(type.slice(0, -2));
    const isWrapped = only !== undefined && others.length === 0 && /^(element|item)$/.test(only.name);
    return isWrapped
      ? `list_transform(${quoted(name)}, lambda cost_analytics_entry: cost_analytics_entry.${quoted(only.name)})`
      : quoted(name);
  }
  const [list] = fieldsOf(type);
  if (list?.type.endsWith('[]') !== true) return null;
  return listIn(list)?.replaceAll(quoted(list.name), `${quoted(name)}.${quoted(list.name)}`) ?? null;
}
