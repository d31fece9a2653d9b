import { z } from 'zod';
import type { ApiClient } from './api-client.ts';

const stored = z.array(z.object({ label: z.string().optional(), value: z.number() }));

/** Changes the value that a metric has for a period, and label, by a difference. */
export const correctValue = async (
  admin: ApiClient,
  metricId: string,
  { period, label }: { period: string; label?: string },
  difference: number,
): Promise<void> => {
  const path = `/api/v1/metrics/${metricId}/values`;
  const values = await admin.get(`${path}?start=${period}&end=${period}`, stored);
  const before = values.find((each) => each.label === label)?.value ?? 0;
  const value = {
    period,
    value: Math.max(1, before + difference),
    ...(label === undefined ? {} : { label }),
  };
  await admin.post(path, z.unknown(), { values: [value] });
};
