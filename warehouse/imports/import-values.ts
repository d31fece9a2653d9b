import type { ImportedValue } from '../../domain/imports/imported-value.ts';
import { storableValue, valueProblem } from '../../domain/metrics/value-rules.ts';
import type { Day } from '../../domain/shared/calendar.ts';
import { invalid, type ServiceError } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import type { Metric } from '../metrics/metrics.ts';
import type { RevenueVault } from '../metrics/revenue-vault.ts';
import type { Change, NewValue } from '../metrics/value-changes.ts';
import { writeValues, type WriteTerms } from '../metrics/write-values.ts';
import { REPLACED_VALUES, replacedBy, type ReadRun } from './replaced-values.ts';

/** A run's values, and where they belong. */
export interface ImportedValues extends ReadRun, Required<Pick<WriteTerms, 'check' | 'signal'>> {
  metric: Metric;
  /** Only for revenue. */
  vault: RevenueVault | undefined;
  /** The rows that the platform gave, if they are not the values. */
  rows?: number;
  /** The values as the platform gives them, in parts. */
  parts: AsyncIterable<readonly ImportedValue[]> | Iterable<readonly ImportedValue[]>;
  change: Change;
}

/**
 * Stores the values of a run, all or none, and returns how many rows the platform gave. Rounds values to ten decimals. The import
 * owns the days read: it removes what stood there before and is not among the values (replaced-values.ts). A run without rows
 * removes nothing. Throws `invalid` with the day for a value that cannot be stored, or that comes twice.
 */
export async function storeImported(imported: ImportedValues, warehouse: Warehouse): Promise<number> {
  const { orgId, metric, vault, days, parts, change, check, signal } = imported;
  let line = 0;
  let first: Day | null = null;
  const storable = function* (part: readonly ImportedValue[]): Generator<NewValue & { line: number }> {
    for (const { day, label, value } of part) {
      line += 1;
      const problem = valueProblem(metric, days.end, { period: day, label, value });
      if (problem !== null) throw invalid(`the value of ${day}: ${problem.field}: ${problem.problem}`);
      if (first === null || day < first) first = day;
      yield { period: day, label: label ?? '', value: storableValue(value).value, line };
    }
  };
  const allParts = async function* () {
    for await (const part of parts) yield storable(part);
  };
  const rows = (): number => imported.rows ?? line;
  const removal = () =>
    rows() === 0 ? null : { sql: REPLACED_VALUES, parameters: replacedBy(imported, first) };
  const stream = { parts: allParts(), comesTwice };
  await writeValues(warehouse, { orgId, metricId: metric.id, vault }, stream, change, {
    check,
    removal,
    signal,
  });
  return rows();
}

const comesTwice = ({ period: day, label }: Pick<NewValue, 'period' | 'label'>): ServiceError =>
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
