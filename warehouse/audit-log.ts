import { idAfter } from './ids.ts';
import { instant } from './instant.ts';
import type { Session } from './session.ts';
import type { Warehouse } from './warehouse.ts';

/** Who did something: a key of the organisation, or the operator. */
export interface Actor {
  type: 'key' | 'operator';
  id: string;
  name: string;
}

/** What is made, changed and deleted by versions (versions.ts). */
export type AuditedThing = 'metric' | 'team' | 'shared_cost' | 'cost_source' | 'webhook';

export type AuditAction =
  | 'organisation.create'
  | 'organisation.update'
  | 'key.create'
  | 'key.revoke'
  | 'month.lock'
  | 'bills.reseal'
  | `${AuditedThing}.${'create' | 'update' | 'delete'}`;

export interface AuditRecord {
  id: string;
  at: string;
  actor: Actor;
  action: AuditAction;
  target: string;
  detail: Record<string, unknown>;
}

/** Adds a record to the audit log, in the transaction of what it tells of. */
export const audit = async (
  session: Session,
  orgId: string,
  record: { actor: Actor; action: AuditAction; target: string; detail: Record<string, unknown> },
  now: Date,
): Promise<void> => {
  await session.run(
    `INSERT INTO audit_log BY NAME
      SELECT $org AS org_id, $id::UUID AS id, $now::TIMESTAMP AS recorded_at, $actor_type AS actor_type, $actor_id AS actor_id,
        $actor_name AS actor_name, $action AS action, $target AS target, $detail::JSON AS detail`,
    {
      org: orgId,
      id: idAfter(null),
      now: now.toISOString(),
      actor_type: record.actor.type,
      actor_id: record.actor.id,
      actor_name: record.actor.name,
      action: record.action,
      target: record.target,
      detail: JSON.stringify(record.detail),
    },
  );
};

/** The records before `cursor`, newest first. */
export const listAuditLog = async (
  warehouse: Warehouse,
  orgId: string,
  page: { limit: number; cursor: string | null },
): Promise<AuditRecord[]> => {
  const rows = await warehouse.query<{
    id: string;
    recorded_at: string;
    actor_type: Actor['type'];
    actor_id: string;
    actor_name: string;
    action: AuditAction;
    target: string;
    detail: string;
  }>(
    `SELECT id, recorded_at, actor_type, actor_id, actor_name, action, target, detail FROM audit_log
     WHERE org_id = $org AND id < coalesce($cursor::UUID, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::UUID)
     ORDER BY id DESC LIMIT $limit`,
    { org: orgId, ...page },
  );
  return rows.map(({ actor_type, actor_id, actor_name, recorded_at, detail, ...row }) => ({
    ...row,
    at: instant(recorded_at),
    actor: { type: actor_type, id: actor_id, name: actor_name },
    detail: JSON.parse(detail) as Record<string, unknown>,
  }));
};
