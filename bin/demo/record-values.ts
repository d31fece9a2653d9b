import { z } from 'zod';
import type { Day, Month } from '../../domain/calendar.ts';
import type { ApiClient } from './api-client.ts';
import { SAMPLE_METRICS, type SampleMetric } from './sample-metrics.ts';

const named = z.object({ id: z.string(), name: z.string() });

/** A sample metric as the organisation has it. */
export interface RecordedMetric extends SampleMetric {
  id: string;
}

/** Makes sure that the organisation has the sample metrics, and each a value for every period; keeps those it has. */
export const recordValues = async (
  admin: ApiClient,
  months: readonly Month[],
  through: Day,
): Promise<RecordedMetric[]> => {
  const known = await admin.get('/api/v1/metrics?limit=1000', z.array(named));
  const recorded: RecordedMetric[] = [];
  for (const metric of SAMPLE_METRICS) {
    const { name, unit, aggregation, frequency, target } = metric;
    const { id } =
      known.find((each) => each.name === name) ??
      (await admin.post('/api/v1/metrics', named, {
        name,
        unit,
        aggregation,
        frequency,
        target,
        scope: { type: 'organisation' },
      }));
    const values = metric.values(months, through);
    const [first] = values;
    if (first === undefined) continue;
    const path = `/api/v1/metrics/${id}/values`;
    const stored = await admin.get(
      `${path}?start=${first.period}&limit=1000`,
      z.array(z.object({ period: z.string() })),
    );
    const periods = new Set(stored.map(({ period }) => period));
    const missing = values.filter(({ period }) => !periods.has(period));
    if (missing.length > 0) await admin.post(path, z.unknown(), { values: missing });
    recorded.push({ ...metric, id });
  }
  return recorded;
};
