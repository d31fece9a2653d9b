import { expect } from 'vitest';
import { waitFor, type Api } from './api-client.ts';
import { expectData } from './envelope.ts';

/** The fields of an import that tests read. */
export interface Import {
  type: string;
  status: string;
  paused_reason: string | null;
  first_month: string;
  last_run: {
    run_id: string;
    status: string;
    start_day: string;
    end_day: string;
    rows: number;
    changed: number;
    removed: number;
    notes: string[];
    error: string | null;
  } | null;
  next_run_at: string | null;
  other_currencies?: { currency: string; net_sales: number }[];
  left_out?: { category: string; currency: string; amount: number; transactions: number }[];
}

/** Waits until the newest run of an import has ended, and returns the import. */
export const importEnd = (admin: Api, metricId: string): Promise<Import> =>
  waitFor(async () => {
    const { body } = await admin.get<Import>(`/metrics/${metricId}/import`);
    const status = body.data.last_run?.status ?? 'running';
    return status === 'running' ? undefined : body.data;
  });

/** Starts an import now, waits for its end, and returns the import. */
export async function importNow(admin: Api, metricId: string, body?: object): Promise<Import> {
  const started = expectData(
    await admin.post<{ run_id: string; status: string }>(`/metrics/${metricId}/import/run`, body),
  );
  expect(started.status).toBe('running');
  const ended = await importEnd(admin, metricId);
  expect(ended.last_run?.run_id).toBe(started.run_id);
  return ended;
}

/** Sends a JSON body with PUT. */
export const put = <Data = unknown>(admin: Api, path: string, body: unknown) =>
  admin.send<Data>('PUT', path, {
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
