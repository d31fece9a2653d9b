import type { CustomBill } from '../../../domain/sources/custom-bill.ts';
import { sqlText } from '../../engine/sql/sql-text.ts';
import { timeFromText } from '../feeds/cells.ts';
import type { BillFormat, NativeValue } from './bill-format.ts';
import { costBy } from './costs.ts';
import { always, cell, firstText, period, time, type TimeOf } from './values.ts';

/**
 * Returns the format of a bill whose columns people have named.
 *
 * @param currency the organisation's.
 */
export function customFormat(
  { columns, defaults, day_format: dayFormat }: CustomBill,
  currency: string,
): BillFormat {
  const cost = costBy('EffectiveCost', [
    { lines: 'all lines', where: [], cost: [{ names: [columns.cost] }] },
  ]);
  const read = dayOf(dayFormat);
  return {
    isExact: true,
    columns: {
      EffectiveCost: cost,
      BilledCost: cost,
      BillingCurrency: named(columns.currency, defaults.currency ?? currency),
      ChargePeriodStart: time([columns.day], read),
      ChargePeriodEnd:
        columns.end === undefined
          ? lastDay(columns, read)
          : orElse(time([columns.end], read), endOf(columns.day, read)),
      BillingPeriodStart: period([columns.billing_period ?? columns.day], read, {
        then: (day) => `date_trunc('month', ${day})`,
      }),
      ProviderName: named(columns.provider, defaults.provider),
      SubAccountId: named(columns.account, defaults.account),
      ...given('SubAccountName', columns.account_name),
      ...given('ServiceName', columns.service),
      ...given('ResourceId', columns.resource),
      ...given('ResourceName', columns.resource_name),
      ...given('AvailabilityZone', columns.zone),
      ...given('x_ResourceGroupName', columns.resource_group),
    },
    ...(columns.tags === undefined ? {} : { tags: cell(columns.tags) }),
  };
}

const given = (name: keyof BillFormat['columns'], column: string | undefined): BillFormat['columns'] =>
  column === undefined ? {} : { [name]: cell(column) };

/** Returns the text of a column, and of rows without one a default. One of them is given. */
function named(column: string | undefined, otherwise: string | undefined): NativeValue {
  if (column === undefined) return always(otherwise ?? '');
  if (otherwise === undefined) return cell(column);
  return {
    ...cell(column),
    in: (row) => {
      const found = row.first([column]);
      return found === null
        ? null
        : {
            sql: `COALESCE(${firstText(row, [found])}, ${sqlText(otherwise)})`,
            type: 'VARCHAR',
            called: found.called,
          };
    },
  };
}

const MONTH = '^\\d{4}-(0[1-9]|1[0-2])$';

/** Reads days, instants, and months as their first day. Days with slashes are read only in the order that people have said. */
function dayOf(format: CustomBill['day_format']): TimeOf {
  const slashes = format === 'DD/MM/YYYY' ? '%d/%m/%Y' : '%m/%d/%Y';
  return (text) => `CASE
    WHEN contains(${text}, '/') THEN ${format === undefined ? 'NULL' : `TRY_STRPTIME(${text}, ['${slashes}', '${slashes} %H:%M:%S'])`}
    WHEN regexp_matches(${text}, '^\\d{1,2}\\.\\d') THEN TRY_STRPTIME(${text}, ['%d.%m.%Y', '%d.%m.%Y %H:%M:%S'])
    WHEN regexp_matches(${text}, '${MONTH}') THEN TRY_CAST(${text} || '-01' AS TIMESTAMP)
    ELSE ${timeFromText(`regexp_replace(${text}, ' ([+-]\\d\\d:?\\d\\d)$', '\\1')`)} END`;
}

/** Returns the end of a charge: of the day, or of the month if it is one. */
const endOf = (column: string, read: TimeOf): NativeValue => ({
  ...time([column], read),
  in: (row) => {
    const found = row.first([column]);
    const day = time([column], read).in(row);
    if (found === null || day === null) return null;
    const unit = `CASE WHEN regexp_matches(${firstText(row, [found])}, '${MONTH}') THEN INTERVAL 1 MONTH ELSE INTERVAL 1 DAY END`;
    return { ...day, sql: `CAST(CAST(${day.sql} AS DATE) + ${unit} AS TIMESTAMP)` };
  },
});

const lastDay = ({ day, last_day: last }: CustomBill['columns'], read: TimeOf): NativeValue =>
  last === undefined ? endOf(day, read) : orElse(endOf(last, read), endOf(day, read));

/** Returns a time, and the other one in rows in which its own column is empty. */
const orElse = (value: NativeValue, other: NativeValue): NativeValue => ({
  ...value,
  in: (row) => {
    const [first, second] = [value.in(row), other.in(row)];
    const column = row.first(value.needs[0] ?? []);
    if (first === null || second === null || column === null) return first;
    return {
      ...first,
      sql: `CASE WHEN ${firstText(row, [column])} IS NULL THEN ${second.sql} ELSE ${first.sql} END`,
    };
  },
});
