import type { BigQuery } from '@google-cloud/bigquery';
import type { z } from 'zod';
import { invalid, Outage, ServiceError } from '../../domain/shared/errors.ts';
import type { BigQueryAccess } from './bigquery-client.ts';
import { failureOf } from './bigquery-failures.ts';

/** A request below the project's address. */
interface BigQueryRequest {
  method?: 'GET' | 'POST';
  /** Such as `/jobs`. */
  uri: string;
  qs?: Record<string, string | number>;
  json?: object;
}

/** Enough for the client's four tries and the pauses between them. The client itself waits for an answer without end. */
const TIMEOUT_MS = 180_000;

/**
 * Sends a request with the client, which signs it, and tries it again if BigQuery is not available. Returns the checked answer.
 *
 * @throws the errors of `refused`; `invalid` for an answer that is not BigQuery's; the signal's reason once it aborts.
 */
export const answerTo = async <Shape extends z.ZodType>(
  client: BigQuery,
  request: BigQueryRequest,
  shape: Shape,
  { signal, timeoutMs = TIMEOUT_MS }: BigQueryAccess,
): Promise<z.output<Shape>> => {
  const { host } = new URL(client.apiEndpoint);
  const tooLate = AbortSignal.timeout(timeoutMs);
  const body = await sent(client, request, AbortSignal.any([signal, tooLate])).catch((error: unknown) => {
    signal.throwIfAborted();
    throw tooLate.aborted
      ? new Outage(`${host} did not answer within ${timeoutMs / 1000} s`)
      : failureOf(error, host);
  });
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? '' : `: ${[...issue.path, issue.message].join(': ')}`;
  throw invalid(`${host} does not answer like BigQuery${where}`);
};

/** Whether an error reports that a job with the same id exists. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof ServiceError && error.kind === 'conflict';

/** Resolves to the answer's body. Once the signal aborts it rejects; the client drops a later answer, but cannot break off. */
const sent = (client: BigQuery, request: BigQueryRequest, signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop);
    client.request(request, (error, body: unknown) => {
      signal.removeEventListener('abort', stop);
      if (error) reject(error);
      else resolve(body);
    });
  });
