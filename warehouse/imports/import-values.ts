import { randomUUID } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImportedValue } from '../../domain/imports/imported-value.ts';
import { storableValue, valueProblem } from '../../domain/metrics/value-rules.ts';
import type { Day } from '../../domain/shared/calendar.ts';
import { invalid, type ServiceError } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/for-message.ts';
import type { Session } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import type { Metric } from '../metrics/metrics.ts';
import { changeRevenue } from '../metrics/revenue-changes.ts';
import type { RevenueVault } from '../metrics/revenue-vault.ts';
import { changeValues, STAGED_TABLE, type Change, type Staged } from '../metrics/value-changes.ts';
import { firstDuplicate, valueFileLine, valuesOfFile } from '../metrics/value-file.ts';
import { REPLACED_VALUES, replacedBy, type ReadRun } from './replaced-values.ts';

/** A run's values, and where they belong. */
export interface ImportedValues extends ReadRun {
  metric: Metric;
  /** Only for revenue. */
  vault: RevenueVault | undefined;
  /** The rows that the platform gave, if they are not the values. */
  rows?: number;
  /** The values as the platform gives them, in parts. */
  parts: AsyncIterable<readonly ImportedValue[]> | Iterable<readonly ImportedValue[]>;
  change: Change;
  /** Refuses the change, under the lock of the metric's values. */
  check: (session: Session) => Promise<void>;
  signal: AbortSignal;
}

/** Bytes of values compared at a time. */
const BYTES_AT_ONCE = 8 * 2 ** 20;

/**
 * Stores the values of a run, all or none, and returns how many rows the platform gave. Rounds values to ten decimals. The import
 * owns the days read: it removes what stood there before and is not among the values (replaced-values.ts). A run without rows
 * removes nothing. Throws `invalid` with the day for a value that cannot be stored, or that comes twice.
 */
export const storeImported = (values: ImportedValues, warehouse: Warehouse): Promise<number> =>
  values.vault === undefined ? storeCounts(values, warehouse) : storeRevenue(values, values.vault, warehouse);

async function storeRevenue(
  imported: ImportedValues,
  vault: RevenueVault,
  warehouse: Warehouse,
): Promise<number> {
  const { orgId, metric, days, parts, change, check, signal } = imported;
  // The values wait in memory, because no file may hold revenue. They have no labels: one for each day.
  const revenue = new Map<Day, string | null>();
  for await (const part of parts)
    for (const value of part) {
      const { day, value: amount } = judged(metric, days.end, value);
      if (revenue.has(day)) throw comesTwice(day, '');
      revenue.set(day, amount);
    }
  const [first = null] = [...revenue.keys()].sort();
  const rows = imported.rows ?? revenue.size;
  const withRemovals = async (session: Session): Promise<ReadonlyMap<Day, string | null>> => {
    await check(session);
    const replaced =
      rows === 0 ? [] : await session.query<{ period: Day }>(REPLACED_VALUES, replacedBy(imported, first));
    return new Map([...replaced.map(({ period }) => [period, null] as const), ...revenue]);
  };
  await changeRevenue(warehouse, { orgId, metricId: metric.id, vault }, withRemovals, change, signal);
  return rows;
}

async function storeCounts(imported: ImportedValues, warehouse: Warehouse): Promise<number> {
  const { orgId, metric, days, parts, change, check, signal } = imported;
  const file = join(warehouse.settings.spillDirectory, `import-${randomUUID()}`);
  let rows = 0;
  let first: Day | null = null;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const part of parts) {
      let text = '';
      for (const value of part) {
        rows += 1;
        const { day: period, label = '', value: number } = judged(metric, days.end, value);
        if (first === null || period < first) first = period;
        text += valueFileLine({ period, label, value: number, line: rows });
      }
      yield text;
    }
  };
  try {
    await writeFile(file, lines(), { flag: 'wx', mode: 0o600, signal });
    if (rows === 0) return 0;
    const { size } = await stat(file);
    const stage = async (session: Session): Promise<Staged> => {
      await check(session);
      const read = valuesOfFile(file);
      const twice = await firstDuplicate(session, read);
      if (twice !== null) throw comesTwice(twice.period, twice.label);
      const relation = await withRemovals(session, imported, first, read);
      return { relation, parts: Math.ceil(size / BYTES_AT_ONCE) };
    };
    await changeValues(warehouse, orgId, metric.id, stage, change, signal);
    return rows;
  } finally {
    await rm(file, { force: true });
  }
}

/** Returns the values read and, as null, the stored values that they replace. */
async function withRemovals(
  session: Session,
  run: ReadRun,
  first: Day | null,
  read: string,
): Promise<string> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE staged_values AS
     SELECT period, label, CAST(NULL AS DECIMAL(38,10)) AS value,
       CAST((SELECT count(*) FROM ${read}) + row_number() OVER () AS INTEGER) AS line
     FROM (${REPLACED_VALUES}) ANTI JOIN (SELECT period, label FROM ${read}) USING (period, label)`,
    replacedBy(run, first),
  );
  return `(FROM ${read} UNION ALL FROM ${STAGED_TABLE})`;
}

/** Returns a value as it is stored. Throws if it cannot be. */
function judged(metric: Metric, newest: Day, imported: ImportedValue): ImportedValue {
  const { day, label, value } = imported;
  const found = valueProblem(metric, newest, { period: day, label, value });
  if (found !== null) throw invalid(`the value of ${day}: ${found.field}: ${found.problem}`);
  return { ...imported, value: storableValue(value).value.toString() };
}

const comesTwice = (day: Day, label: string): ServiceError =>
  invalid(
    label === ''
      ? `expected one value for each day, got two for ${day}: let the query group by day`
      : `expected one value for each day and label, got two for ${day} and ${forMessage(label)}: let the query group by day and label; blanks and the encoding of letters make no other label: NORMALIZE(TRIM(label))`,
  );

/** Counts the values that a run has changed and removed, from the log, so that a repeated step counts the same. */
export async function changesOfRun(
  warehouse: Warehouse,
  orgId: string,
  metricId: string,
  runId: string,
): Promise<{ changed: number; removed: number }> {
  const [row] = await warehouse.query<{ changed: string; removed: string }>(
    `SELECT count(*) FILTER (value IS NOT NULL OR sealed_value IS NOT NULL) AS changed,
       count(*) FILTER (value IS NULL AND sealed_value IS NULL) AS removed
     FROM metric_value_changes
     WHERE org_id = $org AND metric_id = $metric AND changed_by_type = 'import' AND changed_by_id = $run`,
    { org: orgId, metric: metricId, run: runId },
  );
  return { changed: Number(row?.changed ?? 0), removed: Number(row?.removed ?? 0) };
}
