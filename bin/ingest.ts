import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { ingestStarted, runRecord } from '../api/sources/ingest-runs.ts';
import { call, type ServiceAccess } from './service-client.ts';

const POLL_MS = 500;

/** The command's options: a source, its months, and how to read it. */
export interface IngestOptions {
  org: string;
  source: string;
  from?: string;
  to?: string;
  acceptShrink?: boolean;
  all?: boolean;
  wait?: boolean;
}

/** `ingest`: starts an ingest. With `wait` shows its progress until it ends, and throws if it fails. */
export async function ingest(
  access: ServiceAccess,
  options: IngestOptions,
  say: (text: string) => void,
): Promise<void> {
  const path = `/operator/organisations/${encodeURIComponent(options.org)}/cost-sources/${encodeURIComponent(options.source)}`;
  const { run_id } = await call(access, ingestStarted, {
    method: 'POST',
    path: `${path}/ingest`,
    body: {
      start_month: options.from ?? null,
      end_month: options.to ?? null,
      accept_shrink: options.acceptShrink ?? false,
      all: options.all ?? false,
    },
  });
  say(`${run_id} started`);
  if (options.wait !== true) return;
  let shown = 0;
  for (;;) {
    const runs = await call(access, z.array(runRecord), { method: 'GET', path: `${path}/runs?limit=20` });
    const run = runs.find((each) => each.run_id === run_id);
    if (run === undefined) throw new Error(`${run_id} is not among the runs of ${options.source}`);
    if (run.status === 'failed')
      throw new Error(`${run_id} failed: ${run.error ?? 'no reason was recorded'}`);
    if (run.status === 'completed') {
      const leftOut = run.rows_left_out === 0 ? '' : `${run.rows_left_out} left out, `;
      const unchanged = run.files_unchanged
        ? `${run.files_unchanged} ${run.files_unchanged === 1 ? 'file' : 'files'} unchanged, `
        : '';
      say(
        `${run_id} completed: ${unchanged}${run.rows_read} rows read, ${run.rows_rejected} rejected, ${leftOut}` +
          `${run.cost_total ?? 0} in ${run.months.join(', ') || 'no month'}`,
      );
      for (const note of run.notes) say(`note: ${note}`);
      return;
    }
    if (run.rows_read > shown) {
      shown = run.rows_read;
      say(`${run_id} running: ${shown} rows read`);
    }
    await sleep(POLL_MS);
  }
}
