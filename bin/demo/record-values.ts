import { z } from 'zod';
import type { Day, Month } from '../../domain/calendar.ts';
import type { ApiClient } from './api-client.ts';
import { SAMPLE_METRICS, type SampleMetric } from './sample-metrics.ts';

const known = z.object({ id: z.string(), name: z.string(), target: z.number().nullable() });
const storedValue = z.object({ period: z.string(), label: z.string().optional() });

/** A sample metric as the organisation has it; its target may have been changed since it was made. */
export interface RecordedMetric extends SampleMetric {
  id: string;
}

/** Makes sure that the organisation has the sample metrics, and each a value for every period; keeps those it has. */
export const recordValues = async (
  admin: ApiClient,
  months: readonly Month[],
  through: Day,
): Promise<RecordedMetric[]> => {
  const metrics = await admin.get('/api/v1/metrics?limit=1000', z.array(known));
  const recorded: RecordedMetric[] = [];
  for (const metric of SAMPLE_METRICS) {
    const { id, target } =
      metrics.find(({ name }) => name === metric.name) ?? (await defineMetric(admin, metric));
    const values = metric.values(months, through);
    const [first] = values;
    if (first === undefined) continue;
    const path = `/api/v1/metrics/${id}/values`;
    const stored = await admin.get(`${path}?start=${first.period}&limit=1000`, z.array(storedValue));
    const has = new Set(stored.map(placeOf));
    const missing = values.filter((value) => !has.has(placeOf(value)));
    if (missing.length > 0) await admin.post(path, z.unknown(), { values: missing });
    recorded.push({ ...metric, id, target });
  }
  return recorded;
};

const defineMetric = (admin: ApiClient, metric: SampleMetric): Promise<z.infer<typeof known>> => {
  const { name, unit, aggregation, frequency, picks, target, labelKey } = metric;
  const scope = picks === null ? { type: 'organisation' } : { type: 'spend', spend: picks };
  const definition = { name, unit, aggregation, frequency, scope, target, label_key: labelKey };
  return admin.post('/api/v1/metrics', known, definition);
};

const placeOf = ({ period, label = '' }: z.infer<typeof storedValue>): string => `${period} ${label}`;
