import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceProcess } from './service-process.ts';

/** An answer of the API, unjudged. */
export interface Answer {
  status: number;
  headers: Headers;
  // A test asserts on the body's shape; it is what came over the wire.
  body: Json;
}

export type Json = { [field: string]: Json } & { [index: number]: Json } & Iterable<Json> &
  (string | number | null);

export interface Api {
  get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  post: (path: string, body?: unknown) => Promise<Answer>;
  patch: (path: string, body: unknown) => Promise<Answer>;
  delete: (path: string) => Promise<Answer>;
  /** Any request, its body as it is. */
  send: (
    method: string,
    path: string,
    options?: { headers?: Record<string, string>; body?: string },
  ) => Promise<Answer>;
}

const api = (base: string, key: Record<string, string>): Api => {
  const send: Api['send'] = async (method, path, options = {}) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...key, ...options.headers },
      ...(options.body === undefined ? {} : { body: options.body }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: JSON.parse(text) as Json };
  };
  const withBody = (method: string, path: string, body: unknown): Promise<Answer> =>
    send(method, path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return {
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: (path, body) => (body === undefined ? send('POST', path) : withBody('POST', path, body)),
    patch: (path, body) => withBody('PATCH', path, body),
    delete: (path) => send('DELETE', path),
  };
};

/** The API as the holder of a key calls it; paths are relative to /api/v1. */
export const as = (service: Pick<ServiceProcess, 'url'>, secret: string): Api =>
  api(`${service.url}/api/v1`, { 'x-api-key': secret });

/** The operator's routes; paths are relative to /operator. */
export const asOperator = async (service: Pick<ServiceProcess, 'url' | 'dataDir'>): Promise<Api> => {
  const key = (await readFile(join(service.dataDir, 'operator.key'), 'utf8')).trim();
  return api(`${service.url}/operator`, { 'x-operator-key': key });
};

/** Makes an organisation and answers its first admin's access. */
export const newOrganisation = async (
  service: Pick<ServiceProcess, 'url' | 'dataDir'>,
  organisation: { name?: string; tier?: string; currency?: string; settle_days?: number } = {},
): Promise<{ id: string; secret: string; admin: Api }> => {
  const operator = await asOperator(service);
  const { body } = await operator.post('/organisations', {
    name: 'Acme',
    tier: 'enterprise',
    currency: 'USD',
    ...organisation,
  });
  const secret = String(body['data']['key']['secret']);
  return { id: String(body['data']['organisation']['id']), secret, admin: as(service, secret) };
};

/** Waits until `check` answers something else than undefined; fails after `seconds`. */
export const waitFor = async <Result>(
  check: () => Promise<Result | undefined>,
  seconds = 30,
): Promise<Result> => {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const result = await check();
    if (result !== undefined) return result;
    if (Date.now() > deadline) throw new Error(`the condition was not met within ${seconds} s`);
    await new Promise((resume) => setTimeout(resume, 50));
  }
};

/** Starts an ingest of a source and waits for its end; answers the run as the API shows it. */
export const ingest = async (admin: Api, sourceId: string, range: object = {}): Promise<Json> => {
  const started = await admin.post(`/cost-sources/${sourceId}/ingest`, range);
  if (started.status !== 200) throw new Error(JSON.stringify(started.body));
  const runId = started.body['data']['run_id'];
  return waitFor(async () => {
    const { body } = await admin.get(`/cost-sources/${sourceId}/runs`);
    return [...body['data']].find((run) => run['run_id'] === runId && run['status'] !== 'running');
  });
};
