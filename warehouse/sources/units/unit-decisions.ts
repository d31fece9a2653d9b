import type { ApiActor } from '../../../domain/organisations/actor.ts';
import type { Day } from '../../../domain/shared/calendar.ts';
import { invalid } from '../../../domain/shared/errors.ts';
import { firstAndMore, forMessage } from '../../../domain/shared/text/for-message.ts';
import { audit } from '../../engine/records/audit-log.ts';
import type { By } from '../../engine/records/versioned-records.ts';
import type { Session } from '../../engine/session.ts';
import { idAfter } from '../../engine/sql/ids.ts';
import type { Warehouse } from '../../engine/warehouse.ts';

/** An account (`aws/1111`), cluster, host or tool of a source. */
export interface UnitPlace {
  sourceId: string;
  unit: string;
}

/** What a person says about a unit. Each decision replaces the one of its kind before. */
export interface UnitDecision {
  /** The last day that counts; null if the unit has not ended. */
  endedOn: Day | null;
  /** Whether its charges are right beside those of another source or file. */
  stands: boolean;
}

const NOTHING: UnitDecision = { endedOn: null, stands: false };

/**
 * Stores what a person says about a unit, and records it in the audit log. Saying the same again stores nothing.
 *
 * @throws ServiceError `invalid` if no load of the source has such a unit.
 */
export const decideUnit = (
  warehouse: Warehouse,
  orgId: string,
  { sourceId, unit }: UnitPlace,
  change: Partial<UnitDecision>,
  { actor, now }: By<ApiActor>,
): Promise<UnitDecision> =>
  warehouse.lockedTransaction([`units ${sourceId}`], async (session) => {
    const place = { org: orgId, source: sourceId, unit };
    await refuseUnknown(session, place);
    const [newest] = await session.query<{ decision_id: string; endedOn: Day | null; stands: boolean }>(
      `SELECT decision_id, ended_on AS "endedOn", stands FROM decided_units
       WHERE org_id = $org AND source_id = $source AND unit = $unit`,
      place,
    );
    const before = newest ?? NOTHING;
    const { endedOn, stands } = { ...NOTHING, ...before, ...change };
    if (endedOn === before.endedOn && stands === before.stands) return { endedOn, stands };
    await session.run(
      `INSERT INTO unit_decisions BY NAME
       SELECT $org AS org_id, $source AS source_id, $unit AS unit, $decision::UUID AS decision_id, $ended_on::DATE AS ended_on,
         $stands::BOOLEAN AS stands, $now::TIMESTAMP AS decided_at, $actor AS decided_by_id, $actor_name AS decided_by_name`,
      {
        ...place,
        decision: idAfter(newest?.decision_id ?? null),
        ended_on: endedOn,
        stands,
        now: now.toISOString(),
        actor: actor.id,
        actor_name: actor.name,
      },
    );
    await audit(
      session,
      orgId,
      {
        actor,
        action: 'cost_source.unit',
        target: sourceId,
        detail: { unit, ended_on: endedOn, stands },
      },
      now,
    );
    return { endedOn, stands };
  });

const MOST_UNITS_NAMED = 5;

async function refuseUnknown(
  session: Session,
  place: { org: string; source: string; unit: string },
): Promise<void> {
  const known = await session.query<{ unit: string }>(KNOWN_UNITS, { org: place.org, source: place.source });
  if (known.some(({ unit }) => unit === place.unit)) return;
  const names = known.map(({ unit }) => forMessage(unit));
  throw invalid(
    `unit: expected a unit of this cost source${names.length === 0 ? ', which has none yet' : `, such as ${firstAndMore(names, MOST_UNITS_NAMED).join(', ')}`}, ` +
      `got ${forMessage(place.unit)}`,
  );
}

const KNOWN_UNITS = `
SELECT DISTINCT unit FROM load_units SEMI JOIN current_loads USING (org_id, source_id, load_id, billing_period)
WHERE org_id = $org AND source_id = $source
UNION SELECT unit FROM load_doubts WHERE org_id = $org AND source_id = $source AND unit IS NOT NULL
UNION SELECT unit FROM month_doubts WHERE org_id = $org AND source_id = $source AND unit IS NOT NULL
ORDER BY unit`;
