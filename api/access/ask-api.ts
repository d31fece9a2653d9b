import type { FastifyInstance } from 'fastify';
import { unavailable } from '../../domain/shared/errors.ts';
import type { OwnCall } from './authentication.ts';
import { TICKET_HEADER, type Tickets } from './tickets.ts';

/** What the API answered, without `success`: `data`, and on some routes `next_cursor`, `total` and others beside it. */
export type ApiAnswer = Readonly<Record<string, unknown>>;

/** Reads a route below /api/v1 for the caller. Throws {@link ApiRefusal} for any answer but a success. */
export type AskApi = (
  path: string,
  query?: Readonly<Record<string, string | number | undefined>>,
) => Promise<ApiAnswer>;

/** The API refused the request. The message is the API's own, and its caller may see it. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
}

/**
 * Returns how the service reads its own API for one call. A request runs through all checks of the API but the key and the quota,
 * which the call has passed. It ends once nobody waits for the call.
 */
export const askFor =
  (app: FastifyInstance, tickets: Tickets<OwnCall>, call: OwnCall): AskApi =>
  async (path, query = {}) => {
    const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const search = new URLSearchParams(given).toString();
    const url = `/api/v1${path}${search === '' ? '' : `?${search}`}`;
    const { statusCode, payload } = await tickets
      .during(call, (ticket) =>
        app.inject({ method: 'GET', url, headers: { accept: 'application/json', [TICKET_HEADER]: ticket } }),
      )
      .catch((error: unknown) => {
        throw isClosing(error) ? unavailable() : error;
      });
    const { success: _, ...answer } = JSON.parse(payload) as { success: boolean } & ApiAnswer;
    if (statusCode !== 200) throw new ApiRefusal(String(answer['error']));
    return answer;
  };

/** Fastify takes no internal request once the service has begun to stop. */
const isClosing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'FST_ERR_REOPENED_CLOSE_SERVER';
