import { z } from 'zod';
import { READ_LESS } from '../../domain/imports/query-rules.ts';
import { conflict, invalid, Outage } from '../../domain/shared/errors.ts';
import { cut } from '../../domain/shared/for-message.ts';
import { mayPass } from '../../egress/requests/passing-status.ts';

/** Reasons that pass by themselves, whatever the HTTP status. BigQuery reports some of them with 400 or 403. */
const PASSING = new Set([
  'backendError',
  'internalError',
  'jobBackendError',
  'jobInternalError',
  'jobRateLimitExceeded',
  'quotaExceeded',
  'rateLimitExceeded',
  'tableUnavailable',
  'userRateLimitExceeded',
]);

/** What to do, by reason. */
const ADVICE: Record<string, string> = {
  accessDenied: 'grant the service account the missing permission',
  accessNotConfigured: 'enable the BigQuery API in the project',
  authError:
    'credentials: create a new key for the service account if this one was deleted or the account disabled, and check that the clock of this machine is right',
  billingNotEnabled: 'enable billing for the project',
  bytesBilledLimitExceeded: `query: ${READ_LESS}; a run may process at most 10 GB`,
  invalidQuery: 'query: correct it, and try it in the BigQuery console',
  notFound: 'check the names in the query, project_id and location',
  resourcesExceeded: 'query: make it simpler, or read less',
  responseTooLarge: 'query: return one row per day',
  stopped:
    'query: make it faster if it ran into the time limit of 30 minutes; otherwise someone cancelled it',
  timeout: 'query: make it faster; a run may take at most 30 minutes',
};

/** What to do about a sentence of BigQuery, whatever its reason. */
const ADVICE_ON_SENTENCES: [RegExp, string][] = [
  // An import asks only for access to BigQuery. A table over a file in Google Drive also needs access to the file.
  [
    /\bDrive (?:credentials|scope)|while globbing file pattern/i,
    'query: it reads a table over Google Sheets or another file in Google Drive, which an import cannot read: copy the rows into a table of BigQuery, for example each day with a scheduled query, and read that table',
  ],
  [/\bbigquery\.jobs\.create\b/, 'grant the service account the role BigQuery Job User on the project'],
  [
    /\bbigquery\.tables\.getData\b|does not have permission to query table|\bbigquery\.tables\.get\b/,
    'grant the service account the role BigQuery Data Viewer on the data',
  ],
];

/** What a client's error has. Its configuration and its answer hold the request's token, so nothing else is read. */
const clientError = z.object({
  code: z.union([z.number(), z.string()]).optional().catch(undefined),
  errors: z
    .array(z.object({ reason: z.string().catch(''), message: z.string().catch('') }))
    .optional()
    .catch(undefined),
  response: z.object({ statusCode: z.number() }).optional().catch(undefined),
});

/** Why BigQuery refused a request or failed a job. */
export interface Refusal {
  /** Undefined for a job. */
  status?: number | undefined;
  reason: string;
  message: string;
}

/**
 * Returns the error for a refused request or a failed job: Outage if it may pass by itself, `conflict` for a job that exists, and
 * else `invalid` with what to do and BigQuery's own sentence. No part of it holds a credential.
 */
export const refused = ({ status, reason, message }: Refusal): Error => {
  const sentence = sentenceOf(message);
  const said = sentence === '' ? reason : sentence;
  if (PASSING.has(reason) || (status !== undefined && mayPass(status))) {
    return new Outage(`BigQuery is not available${status === undefined ? '' : ` (${status})`}: ${said}`);
  }
  if (reason === 'duplicate' || status === 409) return conflict(`BigQuery: ${said}`);
  const advice = ADVICE_ON_SENTENCES.find(([said]) => said.test(sentence))?.[1] ?? adviceOf(status, reason);
  return invalid(`${advice} (BigQuery: ${said === '' ? `status ${status ?? 'unknown'}` : said})`);
};

const adviceOf = (status: number | undefined, reason: string): string =>
  (status === 401 ? ADVICE['authError'] : ADVICE[reason]) ??
  (status === 403 ? ADVICE['accessDenied'] : undefined) ??
  'correct the query or the connection';

/** Whether a job failed in a way that another job with the same query may avoid. */
export const isPassing = (reason: string): boolean => PASSING.has(reason);

/**
 * Returns the error for anything that the client threw. The client's own errors hold the request with its token, so the new one
 * takes over only texts, and has no cause.
 */
export const failureOf = (error: unknown, host: string): Error => {
  const { code, errors, response } = clientError.catch({}).parse(error);
  // An answer that broke off has a text as code, and the status of its beginning.
  const status = code === undefined ? response?.statusCode : typeof code === 'number' ? code : undefined;
  const [first] = errors ?? [];
  if (first !== undefined) return refused({ status, ...first });
  // The body of an answer without BigQuery's error may come from a proxy, and repeat the request.
  if (status !== undefined) return refused({ status, reason: '', message: `${host} answered ${status}` });
  return new Outage(
    `${host} cannot be reached, or its answer broke off${code === undefined ? '' : ` (${code})`}`,
  );
};

const LONGEST_SENTENCE = 300;

/** A token or a key. BigQuery does not repeat them, but a proxy might. */
const SECRET = /\beyJ[\w-]{8,}(?:\.[\w-]*)*|\bBearer\s+\S+|-----BEGIN[^]*?(?:-----END[^-]*-----|$)/g;

/** Returns a message of BigQuery in one line of bounded length. */
const sentenceOf = (message: string): string =>
  cut(
    message
      .replace(SECRET, '…')
      .replace(/[\s\p{Cc}]+/gu, ' ')
      .trim(),
    LONGEST_SENTENCE,
  );
