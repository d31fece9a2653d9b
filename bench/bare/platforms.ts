import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ledger } from '../../demo/stripe/ledger.ts';
import { stripeAccount } from '../../demo/stripe/stripe-account.ts';
import { startStripeServer } from '../../demo/stripe/stripe-server.ts';
import { answerParent } from './bare-process.ts';
import { ROWS, rowOf, STRIPE_KEY, TRANSACTIONS, transactionOf } from '../data/imported-rows.ts';

// The platforms that imports read: Stripe with a million transactions, and a BigQuery that answers every query with the same rows.
const ledger: Ledger = {
  length: TRANSACTIONS,
  at: transactionOf,
  indexOf: (id) => Number(id.slice('txn_'.length)),
};
const stripe = await startStripeServer({ ...stripeAccount(STRIPE_KEY), ledger });

const ROWS_PER_PAGE = 10_000;
const SCHEMA = {
  fields: [
    { name: 'day', type: 'DATE' },
    { name: 'label', type: 'STRING' },
    { name: 'value', type: 'NUMERIC' },
  ],
};
/** How often the rows were asked for by a new job, so that each job has other values. */
let jobs = 0;

const jobOf = (id: string): object => ({
  jobReference: { projectId: 'bench', jobId: id, location: 'EU' },
  status: { state: 'DONE' },
  configuration: { query: {} },
  statistics: { query: { statementType: 'SELECT', totalBytesProcessed: '1000', schema: SCHEMA } },
});

function pageOf(id: string, from: number): object {
  const end = Math.min(from + ROWS_PER_PAGE, ROWS);
  return {
    jobReference: { projectId: 'bench', jobId: id, location: 'EU' },
    jobComplete: true,
    schema: SCHEMA,
    totalRows: ROWS.toString(),
    rows: Array.from({ length: end - from }, (_, place) => ({
      f: rowOf(from + place, jobs).map((v) => ({ v })),
    })),
    ...(end < ROWS ? { pageToken: end.toString() } : {}),
  };
}

async function answer(request: IncomingMessage): Promise<object> {
  const url = new URL(request.url ?? '/', 'http://bench');
  const [, id = ''] = url.pathname.replace(/^\/bigquery\/v2\/projects\/[^/]+\//, '').split('/');
  if (request.method !== 'POST') {
    if (url.pathname.includes('/jobs/')) return jobOf(id);
    return pageOf(id, Number(url.searchParams.get('pageToken') ?? 0));
  }
  let body = '';
  for await (const part of request) body += String(part);
  const { jobReference, configuration } = JSON.parse(body) as {
    jobReference?: { jobId?: string };
    configuration: { dryRun?: boolean };
  };
  if (configuration.dryRun !== true) jobs += 1;
  return jobOf(jobReference?.jobId ?? 'dry');
}

const bigQuery = createServer((request: IncomingMessage, response: ServerResponse) => {
  void answer(request).then((resource) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(resource));
  });
});
await new Promise<void>((listening) => bigQuery.listen(0, '127.0.0.1', listening));

answerParent(() =>
  Promise.resolve({
    stripe: `http://127.0.0.1:${stripe.base.port}`,
    bigQuery: `http://127.0.0.1:${(bigQuery.address() as AddressInfo).port}`,
  }),
);
