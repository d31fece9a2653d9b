import type { Actor } from '../../../domain/organisations/actor.ts';
import type { Day } from '../../../domain/shared/calendar.ts';
import { idAfter } from '../sql/ids.ts';
import { instant } from '../sql/instant.ts';
import { MOST_PAGE_BYTES, type ListPart } from '../sql/list-part.ts';
import type { Session } from '../session.ts';
import type { Warehouse } from '../warehouse.ts';

/** Things that are stored as versions (versioned-records.ts). */
const AUDITED_THINGS = [
  'metric',
  'import',
  'team',
  'shared_cost',
  'cost_source',
  'uploaded_file',
  'webhook',
] as const;
export type AuditedThing = (typeof AUDITED_THINGS)[number];

const OTHER_ACTIONS = [
  'organisation.create',
  'organisation.update',
  'key.create',
  'key.revoke',
  'month.lock',
  'values.change',
  'viewed',
  'signed_in',
  'signed_out',
  'bills.reseal',
  'cost_source.unit',
] as const;
const CHANGES = ['create', 'update', 'delete'] as const;

export type AuditAction = (typeof OTHER_ACTIONS)[number] | `${AuditedThing}.${(typeof CHANGES)[number]}`;
export const AUDIT_ACTIONS: readonly AuditAction[] = [
  ...OTHER_ACTIONS,
  ...AUDITED_THINGS.flatMap((thing) => CHANGES.map((change) => `${thing}.${change}` as const)),
];

export interface AuditRecord {
  id: string;
  at: string;
  actor: Actor;
  action: AuditAction;
  target: string;
  detail: Record<string, unknown>;
}

/** Adds a record to the audit log, in the transaction of the recorded change. */
export const audit = async (
  session: Pick<Session, 'run'>,
  orgId: string,
  {
    target,
    ...record
  }: { actor: Actor; action: AuditAction; target: string; detail: Record<string, unknown> },
  now: Date,
): Promise<void> => auditEach(session, orgId, { ...record, targets: [target] }, now);

/** Adds a record for each of some targets of the same action, with one statement. */
export async function auditEach(
  session: Pick<Session, 'run'>,
  orgId: string,
  record: {
    actor: Actor;
    action: AuditAction;
    targets: readonly string[];
    detail: Record<string, unknown>;
  },
  now: Date,
): Promise<void> {
  const through = 'through' in record.actor ? record.actor.through : undefined;
  const detail = JSON.stringify(through === undefined ? record.detail : { ...record.detail, through });
  await session.run(
    `INSERT INTO audit_log BY NAME
      SELECT $org AS org_id, unnest($ids::UUID[]) AS id, $now::TIMESTAMP AS recorded_at, $actor_type AS actor_type, $actor_id AS actor_id,
        $actor_name AS actor_name, $action AS action, unnest($targets) AS target, $detail::JSON AS detail,
        strlen($detail) AS detail_bytes`,
    {
      org: orgId,
      ids: record.targets.map(() => idAfter(null)),
      now: now.toISOString(),
      actor_type: record.actor.type,
      actor_id: record.actor.id,
      actor_name: record.actor.name,
      action: record.action,
      targets: record.targets,
      detail,
    },
  );
}

/** Which records to return. The days are inclusive. */
export interface AuditFilter {
  actor: string | null;
  action: AuditAction | null;
  target: string | null;
  start: Day | null;
  end: Day | null;
}

const EVERY_RECORD: AuditFilter = { actor: null, action: null, target: null, start: null, end: null };

/**
 * Returns the records of a filter before `cursor`, newest first: fewer than `limit`, with at most {@link MOST_PAGE_BYTES} of details. The
 * first record comes even if it is longer.
 */
export async function listAuditLog(
  warehouse: Warehouse,
  orgId: string,
  page: { limit: number; cursor: string | null },
  filter: AuditFilter = EVERY_RECORD,
): Promise<ListPart<AuditRecord>> {
  const rows = await warehouse.query<{
    id: string;
    recorded_at: string;
    actor_type: Actor['type'];
    actor_id: string;
    actor_name: string;
    action: AuditAction;
    target: string;
    detail: string;
    has_more: boolean;
  }>(LIST_AUDIT_LOG, { org: orgId, ...page, ...filter });
  const items = rows.map(
    ({ actor_type, actor_id, actor_name, recorded_at, detail, has_more: _, ...row }) => ({
      ...row,
      at: instant(recorded_at),
      actor: { type: actor_type, id: actor_id, name: actor_name },
      detail: JSON.parse(detail) as Record<string, unknown>,
    }),
  );
  return { items, hasMore: rows.at(-1)?.has_more === true };
}

// Chooses the page before it reads the details, so that no step sorts or counts them.
const LIST_AUDIT_LOG = `
WITH candidates AS (
  SELECT id, detail_bytes FROM audit_log
  WHERE org_id = $org AND id < coalesce($cursor::UUID, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID)
    AND ($actor::VARCHAR IS NULL OR actor_id = $actor) AND ($action::VARCHAR IS NULL OR action = $action)
    AND ($target::VARCHAR IS NULL OR target = $target)
    AND ($start::DATE IS NULL OR recorded_at >= $start::DATE) AND ($end::DATE IS NULL OR recorded_at < $end::DATE + 1)
  ORDER BY id DESC LIMIT $limit),
placed AS (
  SELECT id, row_number() OVER newest AS place, sum(detail_bytes) OVER newest AS bytes
  FROM candidates WINDOW newest AS (ORDER BY id DESC)),
page AS (SELECT id FROM placed WHERE place = 1 OR (place < $limit AND bytes <= ${MOST_PAGE_BYTES}))
SELECT id, recorded_at, actor_type, actor_id, actor_name, action, target, detail,
  (SELECT count(*) FROM candidates) > (SELECT count(*) FROM page) AS has_more
FROM audit_log SEMI JOIN page USING (id) WHERE org_id = $org ORDER BY id DESC`;
