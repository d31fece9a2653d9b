import {
  DATE,
  DECIMAL,
  DuckDBDateValue,
  DuckDBDecimalValue,
  INTEGER,
  VARCHAR,
  type DuckDBValue,
} from '@duckdb/node-api';
import { dayNumber, type Day } from '../../domain/shared/calendar.ts';
import { VALUE_DECIMALS, valueUnits } from '../../domain/shared/decimals.ts';
import type { Session } from '../engine/session.ts';
import { storeGiven } from './given-values.ts';
import {
  changeValues,
  STAGED_TABLE,
  valuesLock,
  type Change,
  type ChangeResult,
  type Staged,
} from './value-changes.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** A value to write, as a number or a text. `period` is its first day. `label` is empty on a metric without labels. */
export interface NewValue {
  period: Day;
  label: string;
  value: number | string;
}

/** The result of a write; see {@link ChangeResult}. */
export type WriteResult = Omit<ChangeResult, 'removed'>;

/** The result of a write of values as they were sent. `rounded` counts those that had more than ten decimals. */
export type RoundedResult = WriteResult & { rounded: number };

/** So many values are stored faster without a temporary table. */
const MOST_FEW = 100;

/** Creates or replaces values, all or none (docs/http.md#send-values); see {@link changeValues}. */
export async function writeValues(
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  values: readonly NewValue[],
  change: Change,
): Promise<WriteResult> {
  const { removed: _, ...written } =
    values.length > MOST_FEW
      ? await changeValues(warehouse, orgId, metricId, (session) => stageValues(session, values), change)
      : await warehouse.decide([valuesLock(metricId)], (session) =>
          storeGiven(session, { orgId, metricId }, values, change),
        );
  return written;
}

const STAGED: Staged = { relation: STAGED_TABLE, parts: 1 };

async function stageValues(session: Session, values: readonly NewValue[]): Promise<Staged> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE staged_values (period DATE, label VARCHAR, value DECIMAL(38,10), line INTEGER)`,
  );
  await session.append('staged_values', STAGED_TYPES, stagedColumns(values));
  return STAGED;
}

const STAGED_TYPES = [DATE, VARCHAR, DECIMAL(38, VALUE_DECIMALS), INTEGER];

/** Returns values by columns, as a session appends them. */
const stagedColumns = (values: readonly NewValue[]): DuckDBValue[][] => [
  values.map(({ period }) => new DuckDBDateValue(dayNumber(period))),
  values.map(({ label }) => label),
  values.map(({ value }) => new DuckDBDecimalValue(valueUnits(value), 38, VALUE_DECIMALS)),
  values.map((_, index) => index + 1),
];

/** The values to remove: from `start` to `end`, both inclusive; null leaves that end open, or means all labels. */
export interface ValueRange {
  start: Day | null;
  end: Day | null;
  label: string | null;
}

/**
 * Removes values, all or none. Each removal is a change in the history. Absent values are no change, so that a second removal
 * does nothing.
 */
export async function removeValues(
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  range: ValueRange,
  change: Change,
): Promise<Pick<ChangeResult, 'removed' | 'months'>> {
  const stage = async (session: Session): Promise<Staged> => {
    await session.run(
      `CREATE OR REPLACE TEMP TABLE staged_values AS
       SELECT period, label, CAST(NULL AS DECIMAL(38,10)) AS value, row_number() OVER () AS line FROM metric_values
       WHERE org_id = $org AND metric_id = $metric
         AND period BETWEEN COALESCE($start::DATE, DATE '0001-01-01') AND COALESCE($end::DATE, DATE '9999-12-31')
         AND ($label IS NULL OR label = $label)`,
      { org: orgId, metric: metricId, start: range.start, end: range.end, label: range.label },
    );
    return STAGED;
  };
  const { removed, months } = await changeValues(warehouse, orgId, metricId, stage, change);
  return { removed, months };
}
