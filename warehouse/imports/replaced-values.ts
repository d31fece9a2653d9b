import { firstDay, monthOf, type Day } from '../../domain/shared/calendar.ts';
import type { Metric } from '../metrics/metrics.ts';

/** A run that has read its rows. */
export interface ReadRun {
  orgId: string;
  metric: Pick<Metric, 'id' | 'label_key'>;
  credentialId: string;
  /** The days that the run reads, both inclusive. */
  days: { start: Day; end: Day };
}

/** The parameters of {@link REPLACED_VALUES}. `first` is the first day with a value that the run has read; null without values. */
export const replacedBy = ({ orgId, metric, credentialId, days }: ReadRun, first: Day | null) => ({
  org: orgId,
  metric: metric.id,
  credential: credentialId,
  labelled: metric.label_key !== null,
  first: first === null ? null : firstDay(monthOf(first)),
  ...days,
});

/**
 * Selects the stored values (period, label) that a run removes unless it has read them again. The import owns the days that it
 * reads, so that no month adds up two origins:
 *
 * - A value of another key, project or query goes, and so does a value of anybody else. Values of anybody else stay in the months
 *   before the first one with rows: what was sold before the platform was used is nowhere else.
 * - Without labels, all values stay on days that a run of this connection has read before. So do those that a person had recorded
 *   before the run found them. With labels, each run replaces all values.
 */
export const REPLACED_VALUES = `
WITH known_values AS (FROM metric_values WHERE org_id = $org AND metric_id = $metric)
SELECT period, label FROM known_values
WHERE period BETWEEN $start::DATE AND $end::DATE AND (changed_by_type = 'import' OR period >= $first::DATE)
  AND ($labelled
    OR NOT EXISTS (FROM import_runs AS runs
      WHERE runs.org_id = $org AND runs.metric_id = $metric AND credential_id = $credential
        AND status = 'completed' AND rows_read > 0 AND known_values.period BETWEEN start_day AND end_day)
    -- No run has brought anything of these months, so that none has owned them.
    OR period < (SELECT date_trunc('month', min(period)) FROM known_values WHERE changed_by_type = 'import'))`;
