import { firstDay, monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import type { TargetState } from '../../domain/events/target-crossing.ts';
import type { Metric } from '../metrics/metrics.ts';
import { idAfter } from '../engine/sql/ids.ts';
import type { Session } from '../engine/session.ts';

/** Returns the last recorded states of an organisation's months against their targets, by metric and month. */
export async function targetStates(
  session: Session,
  orgId: string,
): Promise<Map<string, Map<Month, TargetState>>> {
  const rows = await session.query<{ metric_id: string; month: Day; above: boolean; crossings: number }>(
    'SELECT metric_id, month, above, crossings FROM current_target_states WHERE org_id = $org',
    { org: orgId },
  );
  const byMetric = new Map<string, Map<Month, TargetState>>();
  for (const { metric_id, month: day, above, crossings } of rows) {
    const months = byMetric.get(metric_id) ?? new Map<Month, TargetState>();
    months.set(monthOf(day), { month: monthOf(day), above, crossings });
    byMetric.set(metric_id, months);
  }
  return byMetric;
}

/** Records the states of some months of a metric, in the transaction that raises their events. */
export async function recordTargetStates(
  session: Session,
  orgId: string,
  metricId: string,
  states: readonly TargetState[],
  now: Date,
): Promise<void> {
  const [newest] = await session.query<{ id: string | null }>(
    'SELECT max(state_id) AS id FROM target_states WHERE org_id = $org AND metric_id = $metric',
    { org: orgId, metric: metricId },
  );
  const state = idAfter(newest?.id ?? null);
  for (const { month, above, crossings } of states) {
    await session.run(
      `INSERT INTO target_states BY NAME
        SELECT $org AS org_id, $metric AS metric_id, $month::DATE AS month, $state::UUID AS state_id,
          $above::BOOLEAN AS above, $crossings::INTEGER AS crossings, $now::TIMESTAMP AS changed_at`,
      {
        org: orgId,
        metric: metricId,
        month: firstDay(month),
        state,
        above,
        crossings,
        now: now.toISOString(),
      },
    );
  }
}

/** Returns the targets that months were last compared with, by metric. A metric without a comparison is left out. */
export async function evaluatedTargets(
  session: Session,
  orgId: string,
): Promise<Map<string, DecimalText | null>> {
  const rows = await session.query<{ metric_id: string; target: DecimalText | null }>(
    'SELECT metric_id, target FROM current_judged_targets WHERE org_id = $org',
    { org: orgId },
  );
  return new Map(rows.map(({ metric_id, target }) => [metric_id, target]));
}

/** Records, in the same transaction, that the months of some metrics were compared with these targets. */
export async function recordEvaluatedTargets(
  session: Session,
  orgId: string,
  metrics: readonly Pick<Metric, 'id' | 'target'>[],
  now: Date,
): Promise<void> {
  if (metrics.length === 0) return;
  const [newest] = await session.query<{ id: string | null }>(
    'SELECT max(state_id) AS id FROM judged_targets WHERE org_id = $org',
    { org: orgId },
  );
  await session.run(
    `INSERT INTO judged_targets BY NAME
      SELECT $org AS org_id, judged.id AS metric_id, $state::UUID AS state_id, CAST(judged.target AS DECIMAL(38,10)) AS target,
        $now::TIMESTAMP AS changed_at
      FROM (SELECT unnest(from_json($metrics, '[{"id":"VARCHAR","target":"VARCHAR"}]')) AS judged)`,
    {
      org: orgId,
      metrics: JSON.stringify(metrics.map(({ id, target }) => ({ id, target }))),
      state: idAfter(newest?.id ?? null),
      now: now.toISOString(),
    },
  );
}
