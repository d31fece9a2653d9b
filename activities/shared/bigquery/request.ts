import type { z } from 'zod';
import { expectation } from '../../../domain/shared/text/expectation.ts';
import { invalid, Outage, ServiceError } from '../../../domain/shared/errors.ts';
import { answerJson } from '../../../egress/requests/answer-json.ts';
import { guardedRequest } from '../../../egress/requests/guarded-request.ts';
import type { BigQueryAccess, BigQueryClient } from './client.ts';
import { failureIn } from './failures.ts';
import { tryAgain } from '../../shared/try-again.ts';

/** A request below the project's address. */
interface BigQueryRequest {
  method?: 'GET' | 'POST';
  /** Such as `/jobs`. */
  uri: string;
  qs?: Record<string, string | number>;
  json?: object;
}

const MOST_TRIES = 4;
/** BigQuery answers within ten seconds, even about a running job. */
const TIMEOUT_MS = 60_000;
/** BigQuery's own limit for a page is 20 MB. */
const MOST_BYTES = 32 * 2 ** 20;
const MOST_ITEMS = 1_000_000;

/**
 * Sends a signed request, and tries it again if BigQuery is not available. Follows no redirect, because the next host would get the
 * token. Returns the checked answer.
 *
 * @throws the errors of `failureIn`; `invalid` for an answer that is not BigQuery's; the signal's reason once it aborts.
 */
export async function answerTo<Shape extends z.ZodType>(
  client: BigQueryClient,
  { method = 'GET', uri, qs = {}, json }: BigQueryRequest,
  shape: Shape,
  { signal, wait, timeoutMs = TIMEOUT_MS, advice }: BigQueryAccess,
): Promise<z.output<Shape>> {
  const url = new URL(`${client.url}${uri}?prettyPrint=false`);
  for (const [name, value] of Object.entries(qs)) url.searchParams.set(name, value.toString());
  const ask = async (): Promise<unknown> => {
    const headers = { authorization: await client.authorization(), 'content-type': 'application/json' };
    const body = json === undefined ? {} : { body: JSON.stringify(json) };
    const answer = await guardedRequest(
      url,
      { method, headers, ...body },
      { signal, timeoutMs, mostBytes: MOST_BYTES, longer: 'refuse', privateTargets: null },
    );
    const content = answerJson(answer.text, MOST_ITEMS);
    if (answer.status < 200 || answer.status >= 300)
      throw failureIn(answer, content, { host: url.host, advice });
    return content;
  };
  const content = await tryAgain(ask, meaningOf, { mostTries: MOST_TRIES, signal, wait });
  if (content === undefined) throw invalid(`${url.host} does not answer like BigQuery: expected JSON`);
  const parsed = shape.safeParse(content);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined ? '' : `: ${[...issue.path, expectation(issue)].join(': ')}`;
  throw invalid(`${url.host} does not answer like BigQuery${where}`);
}

const meaningOf = (error: unknown) => ({
  error: error instanceof Error ? error : new Error(String(error)),
  isWorthRetry: error instanceof Outage,
  retryAfterMs: null,
});

/** Whether an error reports that a job with the same id exists. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof ServiceError && error.kind === 'conflict';
