import {
  DATE,
  DECIMAL,
  DuckDBDateValue,
  DuckDBDecimalValue,
  INTEGER,
  VARCHAR,
  type DuckDBValue,
} from '@duckdb/node-api';
import { dayNumber, monthOf, type Day } from '../../domain/shared/calendar.ts';
import { VALUE_DECIMALS, valueUnits } from '../../domain/shared/decimals.ts';
import { idAfter } from '../engine/sql/ids.ts';
import type { Session } from '../engine/session.ts';
import { requireFit } from './label-key.ts';
import {
  storedBy,
  type Change,
  type ChangeResult,
  type NewValue,
  type Removal,
  type ValuesOf,
} from './value-changes.ts';

/** Values to be compared with the stored ones. */
export interface Staged {
  /** The relation (period, label, value, line). It is read several times. Each row has its own line. */
  relation: string;
  /** In how many parts they are compared, because DuckDB holds all labels of a part in memory. */
  parts: number;
}

const GIVEN = 'temp.main.given_values';
const REMOVED = 'temp.main.removed_values';
const CHANGED = 'temp.main.changed_values';

/** Drops what the functions of this file have left in a session. */
export async function dropStaged(session: Session): Promise<void> {
  for (const table of [GIVEN, REMOVED, CHANGED]) await session.run(`DROP TABLE IF EXISTS ${table}`);
}

/** Stages values that fit into memory. */
export async function stageGiven(session: Session, values: readonly NewValue[]): Promise<Staged> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE given_values (period DATE, label VARCHAR, value DECIMAL(38,10), line INTEGER)`,
  );
  await session.append('given_values', GIVEN_TYPES, columnsOf(values));
  return { relation: GIVEN, parts: 1 };
}

const GIVEN_TYPES = [DATE, VARCHAR, DECIMAL(38, VALUE_DECIMALS), INTEGER];

/** Returns values by columns, as a session appends them. */
const columnsOf = (values: readonly NewValue[]): DuckDBValue[][] => [
  values.map(({ period }) => new DuckDBDateValue(dayNumber(period))),
  values.map(({ label }) => label),
  values.map(({ value }) => new DuckDBDecimalValue(valueUnits(value), 38, VALUE_DECIMALS)),
  values.map((_, index) => index + 1),
];

/** Adds the stored values that a change removes and does not give, as null. */
export async function stageRemoved(
  session: Session,
  { relation, parts }: Staged,
  { sql, parameters }: Removal,
): Promise<Staged> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE removed_values AS
     SELECT period, label, CAST(NULL AS DECIMAL(38,10)) AS value,
       CAST((SELECT COALESCE(max(line), 0) FROM ${relation}) + row_number() OVER () AS INTEGER) AS line
     FROM (${sql}) ANTI JOIN (SELECT period, label FROM ${relation}) USING (period, label)`,
    parameters,
  );
  return { relation: `(FROM ${relation} UNION ALL FROM ${REMOVED})`, parts };
}

/**
 * Applies staged changes to the values of a count, all or none, by one comparison in DuckDB. At most one row has a period and
 * label: a value to store, or null to remove it. Rows without a period are skipped. Runs within a transaction, under the metric's
 * lock. {@link storeGiven} does it for few values and for revenue. Throws a conflict unless values have labels exactly if the metric
 * has a label key, as `labelled` says.
 */
export async function storeStaged(
  session: Session,
  { orgId, metricId }: ValuesOf,
  { relation, parts }: Staged,
  change: Change,
  labelled: boolean,
): Promise<ChangeResult> {
  const metric = { org: orgId, metric: metricId };
  const { staged, first, last } = await extentOf(session, relation);
  for (let part = 0; part < parts; part += 1)
    await session.run(`${part === 0 ? CREATE_CHANGED : INSERT_CHANGED} ${compare(relation)}`, {
      ...metric,
      first,
      last,
      part,
      parts,
    });
  const compared = await session.query<Compared>(`SELECT * EXCLUDE (lines) FROM ${CHANGED}`);
  requireFit(labelsFit(compared, labelled));
  const total = (counts: (part: Compared) => string): number =>
    compared.reduce((sum, part) => sum + Number(counts(part)), 0);
  const created = total((part) => part.created);
  const replaced = total((part) => part.replaced);
  const removed = total((part) => part.removed);
  if (created + replaced + removed > 0) {
    await session.run(insertChanged(relation), {
      ...metric,
      change: idAfter(newestOf(compared)),
      ...storedBy(change),
    });
  }
  const unchanged = Number(staged) - created - replaced - removed;
  const months = [...new Set(compared.flatMap((part) => part.months ?? []).map(monthOf))].sort();
  return { created, replaced, removed, unchanged, months };
}

async function extentOf(session: Session, relation: string): Promise<Extent> {
  const [extent] = await session.query<Extent>(
    `SELECT count(period) AS staged, min(period) AS first, max(period) AS last FROM ${relation}`,
  );
  if (extent === undefined) throw new Error('the query of the staged values returned no row');
  return extent;
}

interface Extent {
  staged: string;
  first: Day | null;
  last: Day | null;
}

/** The comparison of a part. Nothing is known of its months and labels if nothing in it has changed. */
interface Compared {
  months: Day[] | null;
  some_have_labels: boolean | null;
  all_have_labels: boolean | null;
  created: string;
  replaced: string;
  removed: string;
  newest: string | null;
}

const newestOf = (compared: readonly Compared[]): string | null =>
  compared
    .flatMap(({ newest }) => newest ?? [])
    .sort()
    .at(-1) ?? null;

/** Whether the changed values have labels exactly if the metric's values have them. */
function labelsFit(compared: readonly Compared[], labelled: boolean): boolean {
  const fits = labelled ? 'all_have_labels' : 'some_have_labels';
  return compared.every((part) => (part[fits] ?? labelled) === labelled);
}

/** A row holds the changed lines of a part and their counts. The texts stay where they are staged. */
const CREATE_CHANGED = 'CREATE OR REPLACE TEMP TABLE changed_values AS';
const INSERT_CHANGED = `INSERT INTO ${CHANGED} BY NAME`;

const compare = (relation: string): string => `
WITH staged AS (
  SELECT period, label, value, line FROM ${relation}
  WHERE period IS NOT NULL AND hash(period, label) % $parts::UBIGINT = $part::UBIGINT),
current_values AS (
  SELECT period, label, arg_max_null(value, change_id) AS value, max(change_id) AS change_id
  FROM metric_value_changes
  WHERE org_id = $org AND metric_id = $metric
    AND period BETWEEN $first::DATE AND $last::DATE AND hash(period, label) % $parts::UBIGINT = $part::UBIGINT
  GROUP BY ALL)
SELECT list(line) AS lines,
  map_keys(histogram(CAST(date_trunc('month', period) AS DATE))) AS months,
  bool_or(label <> '') AS some_have_labels, bool_and(label <> '') AS all_have_labels,
  count_if(current_values.value IS NULL) AS created,
  count_if(current_values.value IS NOT NULL AND staged.value IS NOT NULL) AS replaced,
  count_if(staged.value IS NULL) AS removed,
  max(current_values.change_id) AS newest
FROM staged LEFT JOIN current_values USING (period, label)
WHERE current_values.value IS DISTINCT FROM staged.value`;

/**
 * With a plain IN, DuckDB would join by holding the values instead of the lines, because it expects fewer of them. One thread
 * computes the window, so that one row group is filled at a time.
 */
const insertChanged = (relation: string): string => `
INSERT INTO metric_value_changes BY NAME
SELECT $org AS org_id, $metric AS metric_id, $change::UUID AS change_id, period, label, value,
  $source AS source, $by_type AS changed_by_type, $by_id AS changed_by_id, $by_name AS changed_by_name,
  $now::TIMESTAMP AS changed_at
FROM (FROM ${relation} WHERE (line IN (SELECT unnest(lines) FROM ${CHANGED})) IS NOT FALSE)
QUALIFY row_number() OVER () > 0`;
