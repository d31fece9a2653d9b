import type { Actor } from '../../domain/organisations/actor.ts';
import { OF_OPERATOR } from '../engine/maintenance/erasure.ts';
import type { By } from '../engine/records/versioned-records.ts';
import type { Queries, Session } from '../engine/session.ts';
import { instant, instantOrNull } from '../engine/sql/instant.ts';
import { sqlText } from '../engine/sql/sql-text.ts';
import { tablesOfOrganisations } from '../engine/sql/table-names.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { ORGANISATION_NAMES } from './organisations.ts';

/** The deletion of an organisation: the only record of it that stays. */
export interface Deletion {
  /** The id of the deleted organisation. Ids are never used again. */
  organisation: string;
  deleted_by: Actor;
  /** When the organisation was closed. From then on none of its keys and sessions is accepted. */
  requested_at: string;
  /** When nothing of it was left; null if the deletion stopped before. Run it again then. */
  completed_at: string | null;
}

/** What an organisation has, for an operator who is about to delete it. */
export interface OrganisationContents {
  /** Keys that were not revoked. */
  keys: number;
  cost_sources: number;
  metrics: number;
  /** Months of metrics that were locked. */
  locked_months: number;
}

/** Deletions are the operator's, because the rows of the deleted organisation go. */
const OPERATOR = 'operator';

const INSERT_DELETION = `
INSERT INTO organisation_deletions BY NAME
  SELECT $org AS org_id, uuidv7() AS deletion_id, $deleted AS deleted_org, $created::TIMESTAMP AS created_at,
    $actor_type AS actor_type, $actor_id AS actor_id, $actor_name AS actor_name, $now::TIMESTAMP AS recorded_at,
    $complete::BOOLEAN AS is_complete`;

export async function contentsOfOrganisation(
  warehouse: Warehouse,
  orgId: string,
): Promise<OrganisationContents> {
  const [counts] = await warehouse.query<{ [Counted in keyof OrganisationContents]: string }>(
    `SELECT
       (SELECT count(*) FROM api_keys ANTI JOIN api_key_revocations USING (org_id, key_id) WHERE org_id = $org) AS keys,
       (SELECT count(*) FROM cost_sources WHERE org_id = $org) AS cost_sources,
       (SELECT count(*) FROM metrics WHERE org_id = $org) AS metrics,
       (SELECT count(DISTINCT (metric_id, month)) FROM month_locks WHERE org_id = $org) AS locked_months`,
    { org: orgId },
  );
  return {
    keys: Number(counts?.keys ?? 0),
    cost_sources: Number(counts?.cost_sources ?? 0),
    metrics: Number(counts?.metrics ?? 0),
    locked_months: Number(counts?.locked_months ?? 0),
  };
}

/**
 * Closes an organisation for good, and records who did: its keys and sessions end at once on all nodes, no list shows it, and its
 * name is free. Its rows stay until {@link removeRows}. A second call changes nothing. Returns the deletion, and when the
 * organisation was made. Returns null if no organisation ever had this id.
 */
export const closeOrganisation = (
  warehouse: Warehouse,
  orgId: string,
  { actor, now }: By,
): Promise<{ deletion: Deletion; createdAt: Date } | null> =>
  warehouse.lockedTransaction(
    [ORGANISATION_NAMES, `organisation ${orgId}`, `keys ${orgId}`],
    async (session) => {
      const before = await findClosed(session, orgId);
      if (before !== null) return before;
      const [made] = await session.query<{ created_at: string | null }>(
        'SELECT min(changed_at) AS created_at FROM organisation_versions WHERE org_id = $org',
        { org: orgId },
      );
      if (made?.created_at == null) return null;
      const created = instant(made.created_at);
      // The deletion alone would end the keys. This row also tells all nodes that what they know about the keys has changed.
      await session.run(
        `INSERT INTO api_key_revocations BY NAME
        SELECT org_id, key_id, $now::TIMESTAMP AS revoked_at FROM api_keys WHERE org_id = $org`,
        { org: orgId, now: now.toISOString() },
      );
      await recordDeletion(session, orgId, { actor, now, created, complete: false });
      return findClosed(session, orgId);
    },
  );

/** Records that nothing of a closed organisation is left, unless an earlier call has. Returns its deletion. */
export const completeDeletion = (
  warehouse: Warehouse,
  orgId: string,
  { actor, now }: By,
): Promise<Deletion | null> =>
  warehouse.lockedTransaction([`organisation ${orgId}`], async (session) => {
    const closed = await findClosed(session, orgId);
    if (closed?.deletion.completed_at !== null) return closed?.deletion ?? null;
    const created = closed.createdAt.toISOString();
    await recordDeletion(session, orgId, { actor, now, created, complete: true });
    return { ...closed.deletion, completed_at: now.toISOString() };
  });

const recordDeletion = (
  session: Session,
  orgId: string,
  { actor, now, created, complete }: By & { created: string; complete: boolean },
): Promise<number> =>
  session.run(INSERT_DELETION, {
    org: OPERATOR,
    deleted: orgId,
    created,
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    now: now.toISOString(),
    complete,
  });

interface DeletionRow {
  organisation: string;
  created_at: string;
  actor_type: Actor['type'];
  actor_id: string;
  actor_name: string;
  requested_at: string;
  completed_at: string | null;
}

// The first row of each kind counts, because somebody may run a deletion again. The start of a DuckLake stores an empty row for a
// moment (lake-statistics.ts).
const DELETIONS = `
  SELECT deleted_org AS organisation, min(created_at) AS created_at, arg_min(actor_type, deletion_id) AS actor_type,
    arg_min(actor_id, deletion_id) AS actor_id, arg_min(actor_name, deletion_id) AS actor_name,
    min(recorded_at) FILTER (NOT is_complete) AS requested_at, min(recorded_at) FILTER (is_complete) AS completed_at
  FROM organisation_deletions WHERE deleted_org IS NOT NULL`;

const toDeletion = (row: DeletionRow): Deletion => ({
  organisation: row.organisation,
  deleted_by: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
  requested_at: instant(row.requested_at),
  completed_at: instantOrNull(row.completed_at),
});

async function findClosed(
  session: Queries,
  orgId: string,
): Promise<{ deletion: Deletion; createdAt: Date } | null> {
  const [row] = await session.query<DeletionRow>(
    `${DELETIONS} AND deleted_org = $deleted GROUP BY deleted_org`,
    { deleted: orgId },
  );
  return row === undefined
    ? null
    : { deletion: toDeletion(row), createdAt: new Date(instant(row.created_at)) };
}

/** Returns all deletions, oldest first. For the operator only. */
export const listDeletions = async (warehouse: Queries): Promise<Deletion[]> =>
  (await warehouse.query<DeletionRow>(`${DELETIONS} GROUP BY deleted_org ORDER BY min(deletion_id)`)).map(
    toDeletion,
  );

/** Whether an organisation was deleted, or its deletion has begun. */
export async function isDeleted(warehouse: Queries, orgId: string): Promise<boolean> {
  const rows = await warehouse.query(
    'SELECT deleted_org FROM organisation_deletions WHERE deleted_org = $deleted LIMIT 1',
    { deleted: orgId },
  );
  return rows.length > 0;
}

/** Passes over the tables. A step that was running when the organisation was closed may write during the first ones. */
const MOST_PASSES = 5;

/**
 * Removes every row of some closed organisations, from every table that has rows of organisations, and asks the maintenance to
 * erase them from disk. Idempotent. Returns the number of removed rows.
 */
export async function removeRows(
  warehouse: Warehouse,
  orgIds: readonly string[],
  now: Date,
): Promise<number> {
  if (orgIds.length === 0) return 0;
  let removed = 0;
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const tables = await tablesWithRows(warehouse, orgIds);
    if (tables.length === 0) break;
    for (const table of tables)
      removed += await warehouse.run(`DELETE FROM ${table} WHERE list_contains($orgs::VARCHAR[], org_id)`, {
        orgs: orgIds,
      });
  }
  if (removed > 0)
    await warehouse.run(
      'INSERT INTO erasures BY NAME SELECT $org AS org_id, $now::TIMESTAMP AS requested_at',
      { org: OF_OPERATOR, now: now.toISOString() },
    );
  return removed;
}

/** Removes rows of deleted organisations that a step has written after their deletion. Returns the number of removed rows. */
export const removeLateRows = async (warehouse: Warehouse, now: Date): Promise<number> =>
  removeRows(
    warehouse,
    (await listDeletions(warehouse)).map(({ organisation }) => organisation),
    now,
  );

const tablesWithRows = (warehouse: Warehouse, orgIds: readonly string[]): Promise<string[]> =>
  warehouse.session(async (session) => {
    const found = (await tablesOfOrganisations(session)).map(
      (table) =>
        `SELECT ${sqlText(table)} AS name WHERE EXISTS (FROM ${table} WHERE list_contains($orgs::VARCHAR[], org_id))`,
    );
    const tables = await session.query<{ name: string }>(found.join(' UNION ALL '), { orgs: orgIds });
    return tables.map(({ name }) => name);
  });
