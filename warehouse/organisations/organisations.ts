import type { Tier } from '../../domain/organisations/tiers.ts';
import { conflict } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import { audit } from '../engine/records/audit-log.ts';
import type { By } from '../engine/records/versioned-records.ts';
import { idAfter, newId } from '../engine/sql/ids.ts';
import { nameKey } from '../engine/sql/name-key.ts';
import type { Queries, Session } from '../engine/session.ts';
import type { Warehouse } from '../engine/warehouse.ts';

/** An organisation: the tenant that everything belongs to. */
export interface Organisation {
  id: string;
  name: string;
  tier: Tier;
  /** The currency of all its costs (ISO 4217). */
  currency: string;
  /** Full days after a month's end until its bills count as settled. */
  settle_days: number;
}

const COLUMNS = 'org_id AS id, name, tier, currency, settle_days';

/** What a change that gives a new organisation its name decides about. */
export const ORGANISATION_NAMES = 'names of organisations';

/** Throws a conflict with the id of another organisation that has the name, in any encoding. For the operator only. */
export async function refuseTakenName(session: Queries, name: string): Promise<void> {
  const [other] = await session.query<{ id: string }>(
    `SELECT org_id AS id FROM organisations WHERE ${nameKey('name')} = ${nameKey('$name')} ORDER BY org_id LIMIT 1`,
    { name },
  );
  if (other !== undefined)
    throw conflict(
      `name: expected a name that no other organisation has, got ${forMessage(name)}, the name of ${other.id}`,
    );
}

export async function createOrganisation(
  session: Session,
  organisation: Omit<Organisation, 'id'>,
  now: Date,
  id: string = newId('org'),
): Promise<Organisation> {
  const created = { id, ...organisation };
  await insertVersion(session, created, null, now);
  return created;
}

/** Returns the organisation, or null if there is none. */
export async function findOrganisation(warehouse: Warehouse, orgId: string): Promise<Organisation | null> {
  const [organisation] = await warehouse.query<Organisation>(
    `SELECT ${COLUMNS} FROM organisations WHERE org_id = $org`,
    { org: orgId },
  );
  return organisation ?? null;
}

/** Returns all organisations, oldest first, for the operator and the schedules. Never for a tenant. */
export const listOrganisations = (warehouse: Warehouse): Promise<Organisation[]> =>
  warehouse.query<Organisation>(`SELECT ${COLUMNS} FROM organisations ORDER BY org_id`);

/** Changes some fields of an organisation, and records the author. Returns null if there is no such organisation. */
export const updateOrganisation = (
  warehouse: Warehouse,
  orgId: string,
  changes: Partial<Pick<Organisation, 'name' | 'tier' | 'settle_days'>>,
  by: By,
): Promise<Organisation | null> =>
  warehouse.lockedTransaction([`organisation ${orgId}`], async (session) => {
    const [current] = await session.query<Organisation & { version_id: string }>(
      `SELECT ${COLUMNS}, version_id FROM organisations WHERE org_id = $org`,
      { org: orgId },
    );
    if (current === undefined) return null;
    const { version_id, ...organisation } = { ...current, ...changes };
    await insertVersion(session, organisation, version_id, by.now);
    await audit(
      session,
      orgId,
      { actor: by.actor, action: 'organisation.update', target: orgId, detail: changes },
      by.now,
    );
    return organisation;
  });

const insertVersion = (
  session: Session,
  { id: org, ...fields }: Organisation,
  newest: string | null,
  now: Date,
) =>
  session.run(
    `INSERT INTO organisation_versions BY NAME
      SELECT $org AS org_id, $version::UUID AS version_id, $name AS name, $tier AS tier, $currency AS currency,
        $settle_days::INTEGER AS settle_days, $now::TIMESTAMP AS changed_at`,
    { org, ...fields, version: idAfter(newest), now: now.toISOString() },
  );
