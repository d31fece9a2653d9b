import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceProcess } from './node-process.ts';
import { WAIT_MS } from '../patience.ts';

/** An answer of the API. A test states the type that it expects of `data`, and asserts on it. */
export interface Answer<Data> {
  status: number;
  headers: Headers;
  body: { success: boolean; data: Data; error: string; next_cursor: string | null };
}

/** The fields of a run that tests read. */
export interface Run {
  run_id: string;
  status: 'running' | 'completed' | 'failed';
  months: string[];
  files_read: number | null;
  files_unchanged: number | null;
  bytes_read: number | null;
  rows_read: number;
  rows_rejected: number;
  rows_left_out: number;
  rejected_samples: { problem: string; file: string | null; rows: number }[];
  cost_total: number | null;
  notes: string[];
  error: string | null;
}

export interface Api {
  get: <Data = unknown>(path: string, headers?: Record<string, string>) => Promise<Answer<Data>>;
  post: <Data = unknown>(path: string, body?: unknown) => Promise<Answer<Data>>;
  patch: <Data = unknown>(path: string, body: unknown) => Promise<Answer<Data>>;
  delete: <Data = unknown>(path: string) => Promise<Answer<Data>>;
  /** Sends any request, with its body unchanged. */
  send: <Data = unknown>(
    method: string,
    path: string,
    options?: { headers?: Record<string, string>; body?: string },
  ) => Promise<Answer<Data>>;
}

function api(base: string, key: Record<string, string>): Api {
  const send = async <Data>(
    method: string,
    path: string,
    options: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<Answer<Data>> => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...key, ...options.headers },
      ...(options.body === undefined ? {} : { body: options.body }),
    });
    const body = (await response.json()) as Answer<Data>['body'];
    return { status: response.status, headers: response.headers, body };
  };
  const sendJson = <Data>(method: string, path: string, body: unknown): Promise<Answer<Data>> =>
    send<Data>(method, path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  return {
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    post: (path, body) => (body === undefined ? send('POST', path) : sendJson('POST', path, body)),
    patch: (path, body) => sendJson('PATCH', path, body),
    delete: (path) => send('DELETE', path),
  };
}

/** Returns the API for the holder of a key. Paths are relative to /api/v1. */
export const as = (service: Pick<ServiceProcess, 'url'>, secret: string): Api =>
  api(`${service.url}/api/v1`, { 'x-api-key': secret });

/** The header that pages of the service send with the cookie. */
export const PAGE = { 'x-requested-with': 'cost-analytics' };

/** Returns the API for a page that has the cookie of a session. Paths are relative to /api/v1. */
export const inSession = (service: Pick<ServiceProcess, 'url'>, cookie: string): Api =>
  api(`${service.url}/api/v1`, { cookie, ...PAGE });

/** The answer to a sign-in. */
export interface SignedIn {
  organisation: { id: string; name: string; tier: string; currency: string };
  key: { id: string; name: string; permission: string; expires_at: string | null };
  expires_at: string;
  today: string;
}

/** Signs in with a key. Returns the answer, the header that sets the cookie, the cookie, and the API for its page. */
export async function signIn(
  service: Pick<ServiceProcess, 'url'>,
  key: string,
  headers: Record<string, string> = {},
) {
  const answer = await api(`${service.url}/api/v1`, headers).post<SignedIn>('/session', { key });
  const setCookie = answer.headers.get('set-cookie');
  const [cookie = ''] = (setCookie ?? '').split(';');
  return { answer, setCookie, cookie, page: inSession(service, cookie) };
}

/** Reads the key that the service made for its operator. */
export const operatorKeyOf = async ({ dataDir }: Pick<ServiceProcess, 'dataDir'>): Promise<string> =>
  (await readFile(join(dataDir, 'operator.key'), 'utf8')).trim();

/** Returns the operator's routes. Paths are relative to /operator. */
export async function asOperator(service: Pick<ServiceProcess, 'url' | 'dataDir'>): Promise<Api> {
  const key = await operatorKeyOf(service);
  return api(`${service.url}/operator`, { 'x-operator-key': key });
}

/**
 * Makes an organisation, by default with a name of its own, and returns the access of its first admin. A given name gets a unique
 * ending if another test has taken it on a shared service.
 */
export async function newOrganisation(
  service: Pick<ServiceProcess, 'url' | 'dataDir'>,
  organisation: { name?: string; tier?: string; currency?: string; settle_days?: number } = {},
): Promise<{ id: string; secret: string; admin: Api }> {
  const operator = await asOperator(service);
  const wanted = { name: `Acme ${randomUUID()}`, tier: 'enterprise', currency: 'USD', ...organisation };
  const make = (name: string) =>
    operator.post<{ organisation: { id: string }; key: { secret: string } }>('/organisations', {
      ...wanted,
      name,
    });
  const made = await make(wanted.name);
  const { body } = made.status === 409 ? await make(`${wanted.name} ${randomUUID()}`) : made;
  const { secret } = body.data.key;
  return { id: body.data.organisation.id, secret, admin: as(service, secret) };
}

/** The next pause as a share of the time waited so far. Pauses grow, because each check costs the service time. */
const PAUSE_SHARE = 0.3;
const SHORTEST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 500;

/** Waits until `check` returns anything but undefined, and returns that. */
export async function waitFor<Result>(check: () => Promise<Result | undefined>): Promise<Result> {
  const begun = Date.now();
  for (;;) {
    const result = await check();
    if (result !== undefined) return result;
    const waited = Date.now() - begun;
    if (waited > WAIT_MS) throw new Error(`the condition was not met within ${WAIT_MS / 1000} s`);
    const pause = Math.min(Math.max(waited * PAUSE_SHARE, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
    await new Promise((resume) => setTimeout(resume, pause));
  }
}

/** Starts an ingest of a source, waits for its end, and returns the run as the API shows it. */
export async function ingest(admin: Api, sourceId: string, range: object = {}): Promise<Run> {
  const started = await admin.post<{ run_id: string }>(`/cost-sources/${sourceId}/ingest`, range);
  if (started.status !== 200) throw new Error(started.body.error);
  return waitFor(async () => {
    const { body } = await admin.get<Run[]>(`/cost-sources/${sourceId}/runs`);
    return body.data.find(
      ({ run_id, status }) => run_id === started.body.data.run_id && status !== 'running',
    );
  });
}

/** Connects a source and reads it, and returns its id. */
export async function newIngestedSource(admin: Api, source: object): Promise<string> {
  const created = await admin.post<{ id: string }>('/cost-sources', source);
  if (created.status !== 200) throw new Error(created.body.error);
  const { id } = created.body.data;
  const { status, error } = await ingest(admin, id);
  if (status !== 'completed') throw new Error(`the run has ${status}: ${String(error)}`);
  return id;
}
