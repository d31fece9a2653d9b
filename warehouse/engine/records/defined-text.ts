import { invalid } from '../../../domain/shared/errors.ts';
import type { Session } from '../session.ts';

/** Text of all that an organisation defines. Each read of its months goes through its picks. */
const MOST_BYTES = 4 * 2 ** 20;

/** Whose versions there are, and by which column. */
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

// Found first, so that no statement sorts the texts of all versions.
const NEWEST_VERSIONS = ofEach(
  (table, id) => `SELECT CAST(max(version_id) AS VARCHAR) AS version FROM ${table} WHERE org_id = $org
    GROUP BY ${id} HAVING NOT arg_max(deleted, version_id)`,
);

// As JSON, a row is about as long as it is in an answer.
const DEFINED_BYTES = `SELECT COALESCE(sum(bytes), 0)::DOUBLE AS bytes FROM (${ofEach(
  (table) => `SELECT sum(strlen(CAST(to_json(${table}) AS VARCHAR))) AS bytes FROM ${table}
    WHERE org_id = $org AND list_contains($versions, CAST(version_id AS VARCHAR))`,
)})`;

/**
 * Throws `invalid` if the current definitions of an organisation have more text than they may: its metrics, teams, shared costs,
 * cost sources and webhooks. Runs in the transaction that has stored one; no other one of the organisation may run meanwhile.
 */
export const refuseTooMuchDefined = async (session: Session, orgId: string): Promise<void> => {
  const newest = await session.query<{ version: string }>(NEWEST_VERSIONS, { org: orgId });
  const versions = newest.map(({ version }) => version);
  const [defined] = await session.query<{ bytes: number }>(DEFINED_BYTES, { org: orgId, versions });
  const bytes = defined?.bytes ?? 0;
  if (bytes > MOST_BYTES)
    throw invalid(
      `body: expected all metrics, teams, shared costs, cost sources and webhooks together to have at most ${inMiB(MOST_BYTES)}, got ${inMiB(bytes)} with this one; shorten or delete some`,
    );
};

const inMiB = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(2)} MiB`;
