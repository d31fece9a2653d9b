import type { z } from 'zod';
import type { importRecord } from '../../api/imports/import-fields.ts';
import type { SampleTime } from '../exports/write-exports.ts';
import { stripeAccount } from '../stripe/stripe-account.ts';
import { startStripeServer, type StripeServer } from '../stripe/stripe-server.ts';
import { nullIf, poll, type Client, type Named, type Say } from './client.ts';
import { salesLedger } from './sales-ledger.ts';

export type Import = z.infer<typeof importRecord>;

/** It opens only the sample account, so that it is no secret. It stays the same, because the service keeps it. */
export const SAMPLE_KEY = 'rk_test_sampleShopReadsBalanceTransactions';

/** Starts a server that answers like Stripe, with the sales of the sample shop. */
export const startSampleStripe = (time: SampleTime): Promise<StripeServer> =>
  startStripeServer({ ...stripeAccount(SAMPLE_KEY), ledger: salesLedger(time) });

/** A user may have connected the metric to something else, which may be away. */
const MOST_SECONDS = 120;

/** Connects a metric to the sample account, or imports anew if an earlier run has connected it. Waits for the import. */
export async function importSales(admin: Client, { id, name }: Named, say: Say): Promise<void> {
  const path = `/api/v1/metrics/${id}/import`;
  const connected = await importOf(admin, id);
  if (connected === null) {
    // A user who has disconnected the metric keeps its values. After a crash it may have no values yet.
    const values = await admin.get<unknown[]>(`/api/v1/metrics/${id}/values?limit=1`);
    if (values.length > 0) return;
    // Below Business, revenue cannot change.
    const started = await admin.put(path, { type: 'stripe', api_key: SAMPLE_KEY }).catch(nullIf(403));
    if (started === null) return;
  } else {
    if (connected.status === 'paused') return;
    // The import of an earlier run may be under way.
    await admin.post(`${path}/run`).catch(nullIf(409));
  }
  const ended = await poll(async () => {
    const run = (await importOf(admin, id))?.last_run;
    return run?.status === 'running' ? null : run;
  }, MOST_SECONDS);
  if (ended?.status === 'completed')
    say(`  ${name}: ${ended.rows.toLocaleString('en-US')} transactions imported`);
  else say(`  ${name}: the import has not completed: ${ended?.error ?? 'it is still running'}`);
}

/** Returns the import of a metric, or null if it has none. */
export const importOf = (admin: Client, id: string): Promise<Import | null> =>
  admin.get<Import>(`/api/v1/metrics/${id}/import`).catch(nullIf(404));
