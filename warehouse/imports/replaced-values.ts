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
 * - A value of another key, project or query goes, unless a run of this one has read its day before. With labels, each run
 *   replaces all values of imports.
 * - A value of anybody else is older than the connection. It goes from the first month on that has rows: what was sold before the
 *   platform was used is nowhere else.
 */
export const REPLACED_VALUES = `
SELECT period, label FROM metric_values
WHERE org_id = $org AND metric_id = $metric AND period BETWEEN $start::DATE AND $end::DATE
  AND CASE WHEN changed_by_type <> 'import' THEN period >= $first::DATE
    WHEN $labelled THEN true
    ELSE NOT EXISTS (FROM import_runs AS runs
      WHERE runs.org_id = $org AND runs.metric_id = $metric AND credential_id = $credential
        AND status = 'completed' AND rows_read > 0 AND metric_values.period BETWEEN start_day AND end_day) END`;
