import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './generated/api-types.js';

/** A schema of the OpenAPI document, such as `Schema<'Metric'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/**
 * The API. `client.GET('/api/v1/metrics')` and the like check paths, parameters and bodies. Rows come as JSON, unless a call asks
 * for a file: `client.GET('/api/v1/costs', { …, headers: { Accept: 'text/csv' }, parseAs: 'text' })`.
 */
export type CostAnalytics = Client<paths, 'application/json'>;

/** The service refused a request. The message says what was expected, what came, and what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Called<Body> {
  data?: Body;
  error?: unknown;
  response: { status: number };
}

interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

/** Connects to a service with an API key. `url` has no path. */
export const connect = (url: string, key: string): CostAnalytics =>
  createClient<paths, 'application/json'>({ baseUrl: url, headers: { 'X-API-Key': key } });

/** Returns the body of a success. Throws a {@link Refusal} for any other answer. */
export async function bodyOf<Body>(call: Promise<Called<Body>>): Promise<Body> {
  const { data, error, response } = await call;
  if (data !== undefined) return data;
  const message = (error as { error?: string } | undefined)?.error;
  throw new Refusal(response.status, message ?? `the service answered ${response.status}`);
}

/** Returns the data of a success. Throws a {@link Refusal} for any other answer. */
export const dataOf = async <Data>(call: Promise<Called<{ data: Data }>>): Promise<Data> =>
  (await bodyOf(call)).data;

/** Iterates over all items of a list. `read` asks for one page: it adds the given fields to its query. */
export async function* items<Item>(
  read: (page: { cursor?: string }) => Promise<Called<Page<Item>>>,
): AsyncGenerator<Item, void, undefined> {
  let page: { cursor?: string } | null = {};
  while (page !== null) {
    const { data, next_cursor }: Page<Item> = await bodyOf(read(page));
    yield* data;
    page = next_cursor === null ? null : { cursor: next_cursor };
  }
}
