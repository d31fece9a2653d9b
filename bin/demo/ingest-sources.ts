import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ingestStarted, runRecord } from '../../api/sources/ingest-runs.ts';
import type { Month } from '../../domain/shared/calendar.ts';
import { Refused, type ApiClient } from './api-client.ts';
import type { SampleSource } from './sample-sources.ts';

const POLL_MS = 250;
const known = z.object({
  id: z.string(),
  name: z.string(),
  location: z.string(),
  options: z.record(z.string(), z.unknown()),
});

/** A sample source as the organisation has it. */
export interface ConnectedSource {
  id: string;
  name: string;
}

/** Makes sure that each sample source is a cost source of the organisation, before any of them is read. */
export const connectSources = async (
  admin: ApiClient,
  wanted: readonly SampleSource[],
): Promise<ConnectedSource[]> => {
  const sources = await admin.get('/api/v1/cost-sources?limit=1000', z.array(known));
  return Promise.all(
    wanted.map(async ({ name, kind, location, options }): Promise<ConnectedSource> => {
      const source = sources.find((each) => each.name === name);
      if (source === undefined) {
        return admin.post('/api/v1/cost-sources', known, { name, kind, location, options });
      }
      // The data directory may have been moved since.
      const isMoved =
        source.location !== location ||
        Object.entries(options).some(([option, value]) => source.options[option] !== value);
      const changes = { location, options: { ...source.options, ...options } };
      return isMoved ? admin.patch(`/api/v1/cost-sources/${source.id}`, known, changes) : source;
    }),
  );
};

/** Reads sources, side by side, showing how far each is; of one month only when `month` is told. */
export const ingestSources = async (
  admin: ApiClient,
  sources: readonly ConnectedSource[],
  say: (text: string) => void,
  month?: Month,
): Promise<void> => {
  await Promise.all(sources.map((source) => ingestSource(admin, source, say, month)));
};

const ingestSource = async (
  admin: ApiClient,
  { id, name }: ConnectedSource,
  say: (text: string) => void,
  month: Month | undefined,
): Promise<void> => {
  const path = `/api/v1/cost-sources/${id}`;
  const { run_id } = await startIngest(admin, path, month);
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
const startIngest = async (
  admin: ApiClient,
  path: string,
  month: Month | undefined,
): Promise<{ run_id: string }> => {
  const months = month === undefined ? undefined : { start_month: month, end_month: month };
  for (;;) {
    try {
      return await admin.post(`${path}/ingest`, ingestStarted, months);
    } catch (error) {
      if (!(error instanceof Refused && error.status === 409)) throw error;
    }
    await sleep(POLL_MS);
  }
};
