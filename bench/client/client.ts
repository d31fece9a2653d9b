import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Service } from './service.ts';

/** Calls one API with one key. Each call returns the `data` of the answer, and throws unless it succeeds. */
export interface Client {
  get: <Data>(path: string) => Promise<Data>;
  post: <Data>(path: string, body?: unknown) => Promise<Data>;
  put: <Data>(path: string, body: unknown) => Promise<Data>;
  /** All items of a paged list. */
  all: <Item>(path: string) => Promise<Item[]>;
}

interface Envelope<Data> {
  success: boolean;
  data: Data;
  error?: string;
  next_cursor?: string | null;
}

/** An answer other than a success. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function client(base: string, keyHeader: Record<string, string>): Client {
  const call = async <Data>(method: string, path: string, body?: unknown): Promise<Envelope<Data>> => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { ...keyHeader, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as Envelope<Data>;
    if (response.status !== 200 || !answer.success)
      throw new Refusal(response.status, `${method} ${path}: ${response.status} ${answer.error ?? ''}`);
    return answer;
  };
  return {
    get: async <Data>(path: string) => (await call<Data>('GET', path)).data,
    post: async <Data>(path: string, body?: unknown) => (await call<Data>('POST', path, body)).data,
    put: async <Data>(path: string, body: unknown) => (await call<Data>('PUT', path, body)).data,
    all: async <Item>(path: string) => {
      const items: Item[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const answer: Envelope<Item[]> = await call<Item[]>(
          'GET',
          `${path}?limit=1000${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        );
        items.push(...answer.data);
        cursor = answer.next_cursor ?? null;
      }
      return items;
    },
  };
}

/** Returns a client that calls the API with a key. Its paths are relative to /api/v1. */
export const as = (service: Pick<Service, 'url'>, secret: string): Client =>
  client(`${service.url}/api/v1`, { 'x-api-key': secret });

/** Creates an organisation, and returns the secret of its admin key. */
export const newOrganisation = async (
  service: Pick<Service, 'url' | 'dataDir'>,
  tier?: 'business' | 'enterprise',
): Promise<string> => (await newOrganisationWithFolder(service, tier)).secret;

/** Creates an organisation. Returns the secret of its admin key, and the folder for its exports. */
export async function newOrganisationWithFolder(
  service: Pick<Service, 'url' | 'dataDir'>,
  tier: 'business' | 'enterprise' = 'enterprise',
): Promise<{ secret: string; folder: string }> {
  const key = (await readFile(join(service.dataDir, 'operator.key'), 'utf8')).trim();
  const operator = client(`${service.url}/operator`, { 'x-operator-key': key });
  const made = await operator.post<{ key: { secret: string }; source_folder: string }>('/organisations', {
    name: `Bench ${randomUUID()}`,
    tier,
    currency: 'USD',
  });
  return { secret: made.key.secret, folder: made.source_folder };
}

/** The fields of a run that the benchmarks read. */
export interface Run {
  run_id: string;
  status: 'running' | 'completed' | 'failed';
  files_read: number | null;
  bytes_read: number | null;
  rows_read: number;
  cost_total: number | null;
  error: string | null;
}

const POLL_MS = 50;

/**
 * Reads a source as a user does: starts a run, and polls it until it ends, by default every 50 ms. Returns the run and how many
 * seconds it took.
 *
 * @param all whether files that have not changed are read, too.
 */
export async function ingestSource(
  admin: Client,
  sourceId: string,
  pollMs = POLL_MS,
  all = true,
): Promise<{ run: Run; seconds: number }> {
  const started = performance.now();
  const { run_id } = await admin.post<{ run_id: string }>(`/cost-sources/${sourceId}/ingest`, { all });
  for (;;) {
    await new Promise((resume) => setTimeout(resume, pollMs));
    const [run] = await admin.get<Run[]>(`/cost-sources/${sourceId}/runs?limit=1`);
    if (run?.run_id !== run_id || run.status === 'running') continue;
    if (run.status === 'failed') throw new Error(`the ingest failed: ${run.error ?? ''}`);
    return { run, seconds: (performance.now() - started) / 1000 };
  }
}

/** Connects a FOCUS export as a source whose schedule is paused, and returns its id. */
export async function newSource(admin: Client, location: string, name = 'export'): Promise<string> {
  const source = await admin.post<{ id: string }>('/cost-sources', {
    name,
    kind: 'focus',
    location,
    schedule_paused: true,
  });
  return source.id;
}

/** Defines a daily metric, and returns its id. The metric has labels only if a label key is given. */
export async function newMetric(
  admin: Client,
  name: string,
  labelKey: string | null = null,
): Promise<string> {
  const metric = await admin.post<{ id: string }>('/metrics', {
    name,
    unit: 'orders',
    aggregation: 'total',
    frequency: 'daily',
    scope: { type: 'organisation' },
    ...(labelKey === null ? {} : { label_key: labelKey }),
  });
  return metric.id;
}
