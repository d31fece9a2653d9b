import type { BigQueryColumn } from '../../../../domain/shared/bigquery-query.ts';
import { addDays, addMonths, firstDay, type Month } from '../../../../domain/shared/calendar.ts';
import { COLUMNS } from '../focus-columns.ts';
import { entriesOf, type BillTable, type BillTableOf, type BillTags, type LineAmount } from './bill-table.ts';
import { columnNamed, columnOf, decimalOf, isText, micros, nullable, textOf, timeOf } from './google-sql.ts';

type Field = keyof typeof COLUMNS;

/** Every table must have a column of each, and one of a cost. */
const MANDATORY: readonly Field[] = [
  'currency',
  'period_start',
  'period_end',
  'billing_period',
  'provider',
  'account',
];

/** Lines are grouped by all columns that can hold these fields. The load chooses among them, as in a file. */
const KEYS: readonly Field[] = ['currency', 'provider', 'account', 'charge_category'];

/** Local midnights are up to 11 hours before and 10 hours after those of UTC (cells.ts). */
const HOURS_TO_LOCAL_DAY = 13;

/** When the line was exported, in Google's tables. */
const EXPORT_TIME = 'x_ExportTime';

/** Reads a table or view with the columns of FOCUS, such as the one that Google keeps (docs/data-formats.md#tables-of-bigquery). */
export const focusTable: BillTableOf = (name, columns) => {
  const present = (field: Field): BigQueryColumn[] =>
    COLUMNS[field].flatMap((wanted) => columnNamed(columns, wanted) ?? []);
  const first = (field: Field): BigQueryColumn | undefined => present(field)[0];
  const [start, end, period] = [first('period_start'), first('period_end'), first('billing_period')];
  const missing = MANDATORY.filter((field) => present(field).length === 0);
  if (missing.length > 0 || start === undefined || end === undefined || period === undefined)
    return { missing: missing.map((field) => COLUMNS[field].join(' or ')) };
  const textsOf = (fields: readonly Field[]): Record<string, string> =>
    Object.fromEntries(fields.flatMap(present).map((column) => [column.name, textOf(column)]));
  const [effective, billed] = [first('EffectiveCost'), first('BilledCost')];
  const [resource, group, service] = [first('resource'), first('resource_group'), first('service')];
  const [periodEnd, commitment] = [first('billing_period_end'), first('commitment')];
  const exported = columnNamed(columns, EXPORT_TIME);
  const table: BillTable = {
    name,
    month: `FORMAT_TIMESTAMP('%Y-%m', TIMESTAMP_ADD(${timeOf(period)}, INTERVAL ${HOURS_TO_LOCAL_DAY} HOUR), 'UTC')`,
    nearMonth: nearMonth(period),
    billingPeriod: {
      start: micros(timeOf(period)),
      end: periodEnd === undefined ? null : micros(timeOf(periodEnd)),
    },
    exportTime: exported === undefined ? null : timeOf(exported),
    chargeStart: timeOf(start),
    chargeEnd: timeOf(end),
    effectiveCost: amountOf(effective),
    billedCost: amountOf(billed),
    keys: textsOf(KEYS),
    resource:
      resource === undefined
        ? null
        : {
            column: resource.name,
            id: nullable(textOf(resource)),
            names: textsOf(['resource_name', 'zone']),
          },
    accountName: textsOf(['account_name']),
    service: service === undefined ? null : nullable(textOf(service)),
    resourceGroup: resourceGroupOf(group, resource),
    tags: tagsOf(first('tags')),
    credits: creditsOf(first('credits')),
    called: {},
    commitment: commitment === undefined ? null : nullable(textOf(commitment)),
  };
  return { table };
};

const amountOf = (column: BigQueryColumn | undefined): LineAmount | null =>
  column === undefined ? null : { amount: decimalOf(columnOf(column), column), raw: textOf(column) };

/** A scan of a table that is stored by the billing period reads only the month. */
const nearMonth =
  (period: BigQueryColumn) =>
  (month: Month): string | null => {
    if (isText(period)) return null;
    const [from, to] = [addDays(firstDay(month), -1), addDays(firstDay(addMonths(month, 1)), 1)];
    const type = period.type.toUpperCase();
    return `${columnOf(period)} >= ${type} '${from}' AND ${columnOf(period)} < ${type} '${to}'`;
  };

function tagsOf(column: BigQueryColumn | undefined): BillTags | null {
  if (column === undefined) return null;
  const entries = entriesOf(column, columnOf(column));
  if (entries !== null) return entries;
  if (column.isRepeated) return null;
  return { text: isText(column) ? columnOf(column) : `TO_JSON_STRING(${columnOf(column)})` };
}

function creditsOf(column: BigQueryColumn | undefined): string | null {
  const amount = column?.isRepeated === true ? columnNamed(column.fields, 'amount') : undefined;
  return column === undefined || amount === undefined
    ? null
    : `(SELECT SUM(${decimalOf('credit.amount', amount)}) FROM UNNEST(${columnOf(column)}) AS credit)`;
}

/** The group that the bill names, or the one in the id of a resource of Azure. */
function resourceGroupOf(
  group: BigQueryColumn | undefined,
  resource: BigQueryColumn | undefined,
): string | null {
  const places = [
    ...(group === undefined ? [] : [nullable(textOf(group))]),
    ...(resource === undefined
      ? []
      : [`REGEXP_EXTRACT(${textOf(resource)}, r'(?i)/resourceGroups/([^/]+)')`]),
  ];
  return places.length === 0 ? null : `LOWER(COALESCE(${places.join(', ')}))`;
}
