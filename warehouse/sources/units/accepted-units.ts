import type { Doubt } from '../../../domain/sources/doubts.ts';
import { firstDay, type Month } from '../../../domain/shared/calendar.ts';
import type { Session } from '../../engine/session.ts';

/**
 * Stores the units whose missing days a lock of a month has accepted, each once. If a unit is gone for a whole month, and that
 * was accepted, later months no longer wait for it (missing-units.ts).
 */
export async function acceptUnits(
  session: Session,
  orgId: string,
  { month, doubts, now }: { month: Month; doubts: readonly Doubt[]; now: Date },
): Promise<void> {
  const units = doubts
    .filter(({ code }) => code === 'unit_missing')
    .flatMap(({ ways_out: ways }) =>
      ways.flatMap(({ source_id: source, unit }) =>
        source === undefined || unit === undefined ? [] : [{ source, unit }],
      ),
    );
  if (units.length === 0) return;
  await session.run(ACCEPT, {
    org: orgId,
    month: firstDay(month),
    sources: units.map(({ source }) => source),
    units: units.map(({ unit }) => unit),
    now: now.toISOString(),
  });
}

const ACCEPT = `
INSERT INTO accepted_units BY NAME
SELECT $org AS org_id, source_id, unit, $month::DATE AS month, $now::TIMESTAMP AS accepted_at
FROM (
  SELECT unnest($sources::VARCHAR[]) AS source_id, unnest($units::VARCHAR[]) AS unit
  EXCEPT SELECT source_id, unit FROM accepted_units WHERE org_id = $org AND month = $month::DATE)`;
