import createClient from 'openapi-fetch';
import { ApiError } from './api-error.ts';
import type { components, paths } from './generated/api-types.d.ts';

/** The name of a schema in the OpenAPI document, for example `Metric`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** The header that marks requests of these pages. */
export const OWN_REQUEST = { 'X-Requested-With': 'cost-analytics' } as const;

/** The API, with the types of its OpenAPI document. */
export const api = createClient<paths, 'application/json'>({
  headers: OWN_REQUEST,
  credentials: 'same-origin',
});

interface Called<Body> {
  data?: Body;
  error?: unknown;
  response: Response;
}

/** Returns the body of a success. Throws an {@link ApiError} for any other answer. */
export async function bodyOf<Body>(call: Promise<Called<Body>>): Promise<Body> {
  const { data, error, response } = await call;
  if (data !== undefined && response.ok) return data;
  throw new ApiError(messageIn(error) ?? `The service answered ${response.status}.`, response);
}

/** Returns the data of a success. Throws an {@link ApiError} for any other answer. */
export const dataOf = async <Data>(call: Promise<Called<{ data: Data }>>): Promise<Data> =>
  (await bodyOf(call)).data;

/** Returns the message in the body of an error; null if it has none. */
export const messageIn = (body: unknown): string | null =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
    ? body.error
    : null;
