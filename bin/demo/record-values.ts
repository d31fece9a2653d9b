import { z } from 'zod';
import type { Day, Month } from '../../domain/shared/calendar.ts';
import type { ApiClient } from './api-client.ts';
import type { SampleMetric } from './sample-metrics.ts';
import type { SampleValue } from './sample-values.ts';

const known = z.object({ id: z.string(), name: z.string(), target: z.number().nullable() });
const storedValue = z.object({ period: z.string(), label: z.string().optional() });

/** A metric as the organisation has it. */
export type KnownMetric = z.infer<typeof known>;

/** A sample metric as the organisation has it; its target may have been changed since it was made. */
export interface RecordedMetric extends SampleMetric {
  id: string;
}

/** The organisation's metrics. */
export const metricsOf = (admin: ApiClient): Promise<KnownMetric[]> =>
  admin.get('/api/v1/metrics?limit=1000', z.array(known));

/**
 * Makes sure that a sample metric is one of the organisation's, and answers it. With team scope, its team must be one
 * of `teams`, ids by name.
 */
export const defineMetric = async (
  admin: ApiClient,
  metrics: readonly KnownMetric[],
  metric: SampleMetric,
  teams: ReadonlyMap<string, string> = new Map(),
): Promise<RecordedMetric> => {
  const { name, unit, aggregation, frequency, target, labelKey } = metric;
  const scope =
    metric.scope.type === 'team' ? { type: 'team', team_id: teams.get(metric.scope.team) } : metric.scope;
  const definition = { name, unit, aggregation, frequency, scope, target, label_key: labelKey };
  const stored =
    metrics.find((each) => each.name === name) ?? (await admin.post('/api/v1/metrics', known, definition));
  return { ...metric, id: stored.id, target: stored.target };
};

/** Makes sure that a metric has a value for every period; keeps those it has. */
export const recordMissing = async (
  admin: ApiClient,
  { id }: Pick<RecordedMetric, 'id'>,
  values: readonly SampleValue[],
): Promise<void> => {
  const [first] = values;
  if (first === undefined) return;
  const path = `/api/v1/metrics/${id}/values`;
  const stored = await admin.get(`${path}?start=${first.period}&limit=1000`, z.array(storedValue));
  const has = new Set(stored.map(placeOf));
  const missing = values.filter((value) => !has.has(placeOf(value)));
  if (missing.length > 0) await admin.post(path, z.unknown(), { values: missing });
};

/** Makes sure that the organisation has some sample metrics, and each a value for every period. */
export const recordValues = async (
  admin: ApiClient,
  samples: readonly SampleMetric[],
  { months, through }: { months: readonly Month[]; through: Day },
  teams: ReadonlyMap<string, string>,
): Promise<RecordedMetric[]> => {
  const metrics = await metricsOf(admin);
  const recorded: RecordedMetric[] = [];
  for (const sample of samples) {
    const metric = await defineMetric(admin, metrics, sample, teams);
    await recordMissing(admin, metric, metric.values(months, through));
    recorded.push(metric);
  }
  return recorded;
};

const placeOf = ({ period, label = '' }: z.infer<typeof storedValue>): string => `${period} ${label}`;
