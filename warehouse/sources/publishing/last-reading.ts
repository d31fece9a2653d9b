import { monthOf, type Day, type Month } from '../../../domain/shared/calendar.ts';
import { Outage } from '../../../domain/shared/errors.ts';
import type { FoundPeriod, ReadingRecord } from '../../../domain/sources/readings/reading-record.ts';
import type { Queries, Session } from '../../engine/session.ts';
import { idsOf, type Load, type LoadScope } from './load.ts';
import { MONTH } from './publish-load.ts';

/** A record, and the load whose reading wrote it. */
export interface StoredReading {
  loadId: string;
  record: ReadingRecord;
}

/**
 * Returns what the current loads of a source were read from; null for a source that no run has read as a whole. Leaves out what an
 * earlier attempt of the same run has published, so that a run that is tried again reads and reports the same.
 */
export async function lastReading(
  session: Queries,
  { orgId, sourceId, runId }: Pick<LoadScope, 'orgId' | 'sourceId' | 'runId'>,
): Promise<StoredReading | null> {
  const [row] = await session.query<{ load_id: string; record: string }>(
    `SELECT load_id, CAST(record AS VARCHAR) AS record FROM source_readings
     WHERE org_id = $org AND source_id = $source AND run_id <> $run ORDER BY source_readings.load_id DESC LIMIT 1`,
    { org: orgId, source: sourceId, run: runId },
  );
  return row === undefined ? null : { loadId: row.load_id, record: JSON.parse(row.record) as ReadingRecord };
}

/**
 * Stores what the current loads of a source are read from, in the transaction that publishes them.
 *
 * @param since the reading that this one continues.
 * @throws Outage if another run of the source has published since, because what this one left out may have changed there.
 */
export async function storeReading(
  session: Session,
  load: Load,
  { record, since }: { record: ReadingRecord; since: StoredReading | null },
): Promise<void> {
  const newest = await lastReading(session, load);
  if (newest?.loadId !== since?.loadId)
    throw new Outage('another run of this cost source has published meanwhile');
  await session.run(
    `INSERT INTO source_readings BY NAME
     SELECT $org AS org_id, $source AS source_id, $load::UUID AS load_id, $run AS run_id, $now::TIMESTAMP AS read_at, CAST($record AS JSON) AS record`,
    { ...idsOf(load), run: load.runId, now: load.now.toISOString(), record: JSON.stringify(record) },
  );
}

/** Returns the months of which a reading has days, for the sources whose billing periods are months. Their days are in `load_days`. */
export async function readPeriods(session: Queries): Promise<FoundPeriod[]> {
  const rows = await session.query<{ period: Day; ends: Day }>(
    `SELECT DISTINCT ${MONTH} AS period, last_day(day) AS ends FROM temp.main.load_days WHERE row_count > 0 ORDER BY period`,
  );
  return rows.map((row) => ({ ...row, lastDay: row.ends, stored: 0, rejected: 0, edges: [] }));
}

/** Returns the months of the current loads that a source's files still have; empty if no run has recorded its files. */
export async function heldMonths(session: Queries, orgId: string, sourceId: string): Promise<Month[]> {
  const newest = await lastReading(session, { orgId, sourceId, runId: '' });
  const rows = await session.query<{ month: Day }>(
    `SELECT DISTINCT CAST(unnest(generate_series(date_trunc('month', first_day), date_trunc('month', last_day), INTERVAL 1 MONTH)) AS DATE) AS month
     FROM current_loads WHERE org_id = $org AND source_id = $source AND list_contains($periods::DATE[], billing_period) ORDER BY month`,
    { org: orgId, source: sourceId, periods: newest?.record.periods.map(({ period }) => period) ?? [] },
  );
  return rows.map(({ month }) => monthOf(month));
}
