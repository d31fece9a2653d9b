import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ingestStarted, runRecord } from '../../api/ingest-runs.ts';
import { Refused, type ApiClient } from './api-client.ts';
import type { SampleBill } from './exports.ts';

const POLL_MS = 250;
const source = z.object({ id: z.string(), name: z.string(), location: z.string() });

/** Makes sure that each bill is a cost source of the organisation, and reads them all, showing how far it is. */
export const ingestBills = async (
  admin: ApiClient,
  bills: readonly SampleBill[],
  say: (text: string) => void,
): Promise<void> => {
  const known = await admin.get('/api/v1/cost-sources?limit=1000', z.array(source));
  await Promise.all(
    bills.map(async ({ name, folder }) => {
      const id = await ensureSource(
        admin,
        known.find((each) => each.name === name),
        { name, location: folder },
      );
      await ingestBill(admin, { id, name }, say);
    }),
  );
};

const ensureSource = async (
  admin: ApiClient,
  known: z.infer<typeof source> | undefined,
  wanted: { name: string; location: string },
): Promise<string> => {
  if (known === undefined) {
    return (await admin.post('/api/v1/cost-sources', source, { ...wanted, kind: 'focus' })).id;
  }
  // The data directory may have been moved since.
  if (known.location !== wanted.location) {
    await admin.patch(`/api/v1/cost-sources/${known.id}`, source, { location: wanted.location });
  }
  return known.id;
};

const ingestBill = async (
  admin: ApiClient,
  { id, name }: { id: string; name: string },
  say: (text: string) => void,
): Promise<void> => {
  const path = `/api/v1/cost-sources/${id}`;
  const { run_id } = await startIngest(admin, path);
  let shown = 0;
  for (;;) {
    const runs = await admin.get(`${path}/runs`, z.array(runRecord));
    const run = runs.find((each) => each.run_id === run_id);
    if (run?.status === 'failed')
      throw new Error(`the ingest of ${name} failed: ${run.error ?? 'no reason was recorded'}`);
    const rows = (run?.rows_read ?? 0).toLocaleString('en-US');
    if (run?.status === 'completed') {
      say(`  ${name}: ${rows} rows of ${run.months.length} months ingested`);
      return;
    }
    if (run !== undefined && run.rows_read > shown) {
      shown = run.rows_read;
      say(`  ${name}: ${rows} rows so far`);
    }
    await sleep(POLL_MS);
  }
};

/** Starts an ingest; one that the schedule has started meanwhile may have read older exports, so it is waited for. */
const startIngest = async (admin: ApiClient, path: string): Promise<{ run_id: string }> => {
  for (;;) {
    try {
      return await admin.post(`${path}/ingest`, ingestStarted);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 409)) throw error;
    }
    await sleep(POLL_MS);
  }
};
