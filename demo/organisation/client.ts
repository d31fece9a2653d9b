import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { metricRecord } from '../../api/metrics/metric-fields.ts';
import type { sharedCostRecord } from '../../api/teams/shared-costs.ts';
import type { billRecord } from '../../api/teams/team-bills.ts';
import type { MonthRecord } from '../../domain/months/month-record.ts';
import { call, Rejected } from '../../bin/service-client.ts';
import { replaceFile } from '../exports/write-exports.ts';

export type Metric = z.infer<typeof metricRecord>;
/** A metric with its last twelve months, newest first. */
export type MetricWithMonths = Metric & { months: MonthRecord[] };
export type Bill = z.infer<typeof billRecord>;
export type SharedCost = z.infer<typeof sharedCostRecord>;
export type Client = ReturnType<typeof clientOf>;
/** Prints a line. */
export type Say = (text: string) => void;

/** Anything with a name that the service stores: a source, a team, a metric. */
export interface Named {
  id: string;
  name: string;
}

/** Returns calls to the service with a key. The caller names the type of the data. */
function clientOf(url: string, key: Record<string, string>) {
  // A stopping service waits for open connections.
  const access = { url, headers: { ...key, connection: 'close' } };
  const send = <Data>(method: 'GET' | 'POST' | 'PATCH' | 'PUT', path: string, body?: object) =>
    call(access, z.custom<Data>(), { method, path, body });
  return {
    get: <Data>(path: string) => send<Data>('GET', path),
    post: <Data>(path: string, body?: object) => send<Data>('POST', path, body),
    patch: <Data>(path: string, body: object) => send<Data>('PATCH', path, body),
    put: <Data>(path: string, body: object) => send<Data>('PUT', path, body),
  };
}

/** Returns a handler for `catch` that returns null if the service rejected the request with a status. */
export const nullIf = (status: number) => (error: unknown) => {
  if (error instanceof Rejected && error.status === status) return null;
  throw error;
};

/** Calls `look` until it returns a result, at most for some seconds, and returns the last result. */
export async function poll<Result>(look: () => Promise<Result | null>, seconds = Infinity) {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    const result = await look();
    if (result !== null || Date.now() > until) return result;
    await sleep(250);
  }
}

interface Access {
  organisation: { id: string };
  key: { secret: string; permission: string };
}

/** Returns a name that no organisation has. An earlier run may have made one, and lost its key. */
async function freeName(operator: Client): Promise<string> {
  const names = new Set((await operator.get<Named[]>('/operator/organisations')).map(({ name }) => name));
  let name = 'Sample shop';
  for (let next = 2; names.has(name); next += 1) name = `Sample shop ${next}`;
  return name;
}

/** Returns the organisation whose admin's key an earlier run has kept in `demo.key`, or creates one. */
export async function signIn(url: string, dataDir: string, operatorKey: string) {
  const adminOf = (key: string): Client => clientOf(url, { 'x-api-key': key });
  const file = join(dataDir, 'demo.key');
  const kept = (await readFile(file, 'utf8').catch(() => '')).trim();
  const known = kept && (await adminOf(kept).get<Access>('/api/v1/auth/info').catch(nullIf(401)));
  if (known && known.key.permission === 'admin')
    return { id: known.organisation.id, admin: adminOf(kept), adminKey: kept, isNew: false };
  const operator = clientOf(url, { 'x-operator-key': operatorKey });
  const body = { name: await freeName(operator), tier: 'enterprise', currency: 'USD' };
  const { organisation, key } = await operator.post<Access>('/operator/organisations', body);
  await replaceFile(file, `${key.secret}\n`);
  return { id: organisation.id, admin: adminOf(key.secret), adminKey: key.secret, isNew: true };
}
