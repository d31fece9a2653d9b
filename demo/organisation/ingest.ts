import type { z } from 'zod';
import type { runRecord } from '../../api/sources/ingest-runs.ts';
import type { Month } from '../../domain/shared/calendar.ts';
import { nullIf, poll, type Client, type Named, type Say } from './client.ts';

type Run = z.infer<typeof runRecord>;

/** Ingests a source, all months or one, and prints the progress. */
export async function ingest(admin: Client, source: Named, say: Say, month?: Month): Promise<void> {
  const path = `/api/v1/cost-sources/${source.id}`;
  const range = { start_month: month, end_month: month };
  // A scheduled ingest may have read older exports, so that this one waits for its end.
  const started = await poll(() => admin.post<Run>(`${path}/ingest`, range).catch(nullIf(409)));
  let shown = 0;
  await poll(async () => {
    const runs = await admin.get<Run[]>(`${path}/runs`);
    const run = runs.find(({ run_id }) => run_id === started?.run_id);
    if (run === undefined) return null;
    const { status, rows_read, months, error } = run;
    if (status === 'failed')
      throw new Error(`the ingest of ${source.name} failed: ${error ?? 'no reason was recorded'}`);
    const rows = `  ${source.name}: ${rows_read.toLocaleString('en-US')} rows`;
    if (status === 'completed') say(`${rows} of ${months.length} months ingested`);
    else if (rows_read > shown) say(`${rows} so far`);
    shown = rows_read;
    return status === 'completed' ? run : null;
  });
}
