/** Rows that a statement writes. */
export interface Touch {
  table: string;
  /** The organisations that the rows belong to; null if they can belong to any. */
  orgs: readonly string[] | null;
  /** The metric that the rows belong to, in a table that is followed by metric; null if they can belong to any. */
  metric: string | null;
}

/** What a statement writes: rows of the warehouse, only what is outside of it, or nothing. */
export type Writes = readonly Touch[] | 'outside' | 'nothing';

/**
 * Tables that are followed by metric, so that a change of one metric leaves the others as they are; with the parameter that names
 * the metric.
 */
export const BY_METRIC: ReadonlyMap<string, string> = new Map([
  ['metric_versions', 'id'],
  ['metric_value_changes', 'metric'],
  ['month_locks', 'metric'],
  ['import_versions', 'metric_id'],
  ['import_run_events', 'metric_id'],
]);

/** Tables that none of the cached responses shows. What they hold changes without any number. */
export const BESIDE: ReadonlySet<string> = new Set([
  'api_calls',
  'audit_log',
  'backup_results',
  'organisation_deletions',
  'session_ends',
  'uploaded_parts',
  'uploaded_contents',
  'event_log',
  'target_states',
  'judged_targets',
  'webhook_attempts',
  'webhook_delivery_starts',
  'webhook_delivery_states',
]);

const WRITE =
  /^\s*(?:INSERT\s+INTO|DELETE\s+FROM|UPDATE|MERGE\s+INTO|TRUNCATE|ALTER\s+TABLE|(?:CREATE(?:\s+OR\s+REPLACE)?|DROP)\s+(?:TABLE|VIEW|SEQUENCE)(?:\s+IF(?:\s+NOT)?\s+EXISTS)?)\s+([\w.]+)/i;
const OUTSIDE = /^\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP|SECRET)\s/i;

/**
 * Returns what a statement writes, by its text. A write names its organisation in the parameter `$org`, or several in `$orgs`,
 * and its metric. A write without them counts as one to the rows of all. A write of several metrics names them in a list of as many
 * organisations, one for each row.
 */
export function writesOf(sql: string, parameters: Readonly<Record<string, unknown>>): Writes {
  const table = WRITE.exec(sql)?.[1]?.toLowerCase();
  if (table === undefined) return OUTSIDE.test(sql) ? 'outside' : 'nothing';
  if (/^(temp|memory)\./.test(table)) return 'outside';
  const { org, orgs } = parameters;
  const name = BY_METRIC.get(table) ?? '';
  const [metric, metrics] = [parameters[name], parameters[`${name}s`]];
  if (isTexts(orgs) && isTexts(metrics))
    return [...new Map(metrics.map((of, at) => [of, orgs[at]]))].map(([of, owner]) => ({
      table,
      orgs: owner === undefined ? null : [owner],
      metric: of,
    }));
  return [
    {
      table,
      orgs: typeof org === 'string' ? [org] : isTexts(orgs) ? orgs : null,
      metric: typeof metric === 'string' ? metric : null,
    },
  ];
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value);
