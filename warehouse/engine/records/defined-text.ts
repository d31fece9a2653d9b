import { invalid } from '../../../domain/shared/errors.ts';
import type { Session } from '../session.ts';

/** The most text in an organisation's definitions, because each read of its months scans its picks. */
const MOST_BYTES = 4 * 2 ** 20;

/** The things that have versions, each with the column of its id. */
const DEFINED = {
  metric: 'metric_id',
  team: 'team_id',
  shared_cost: 'shared_cost_id',
  cost_source: 'source_id',
  webhook: 'webhook_id',
};

const ofEach = (select: (table: string, id: string) => string): string =>
  Object.entries(DEFINED)
    .map(([name, id]) => select(`${name}_versions`, id))
    .join(' UNION ALL ');

// Selects the ids first, so that no statement sorts the texts of all versions.
const NEWEST_VERSIONS = ofEach(
  (table, id) => `SELECT CAST(max(version_id) AS VARCHAR) AS version FROM ${table} WHERE org_id = $org
    GROUP BY ${id} HAVING NOT arg_max(deleted, version_id)`,
);

// A row as JSON is about as long as in a response.
const bytesOf = (condition: string): string =>
  `SELECT COALESCE(sum(bytes), 0)::DOUBLE AS bytes FROM (${ofEach(
    (table) => `SELECT sum(strlen(CAST(to_json(${table}) AS VARCHAR))) AS bytes FROM ${table}
    WHERE org_id = $org AND ${condition}`,
  )})`;

const ALL_BYTES = bytesOf('true');

const DEFINED_BYTES = bytesOf('list_contains($versions, CAST(version_id AS VARCHAR))');

/**
 * Throws `invalid` if an organisation's current metrics, teams, shared costs, cost sources and webhooks have too much text. Runs
 * in the transaction that has stored one of them. No other such transaction of the organisation may run at the same time.
 */
export async function refuseTooMuchDefined(session: Session, orgId: string): Promise<void> {
  // Old versions count here, so that most definitions need no look for the newest.
  const [all] = await session.query<{ bytes: number }>(ALL_BYTES, { org: orgId });
  if (all !== undefined && all.bytes <= MOST_BYTES) return;
  const newest = await session.query<{ version: string }>(NEWEST_VERSIONS, { org: orgId });
  const versions = newest.map(({ version }) => version);
  const [defined] = await session.query<{ bytes: number }>(DEFINED_BYTES, { org: orgId, versions });
  const bytes = defined?.bytes ?? 0;
  if (bytes > MOST_BYTES)
    throw invalid(
      `body: expected all metrics, teams, shared costs, cost sources and webhooks together to have at most ${inMiB(MOST_BYTES)}, got ${inMiB(bytes)} with this one; shorten or delete some`,
    );
}

const inMiB = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(2)} MiB`;
