import { z } from 'zod';
import { conflict, invalid, Outage } from '../../../domain/shared/errors.ts';
import { cut } from '../../../domain/shared/text/for-message.ts';
import type { GuardedAnswer } from '../../../egress/requests/guarded-request.ts';
import { mayPass } from '../../../egress/requests/passing-status.ts';

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

/** What to do, by BigQuery's reason, or by what its sentence is about. */
export type Advice = Readonly<Record<string, string>>;

/** What to do about any query. */
const ADVICE: Advice = {
  accessDenied: 'grant the service account the missing permission',
  accessNotConfigured: 'enable the BigQuery API in the project',
  authError:
    'credentials: create a new key for the service account if this one was deleted or the account disabled, and check that the clock of this machine is right',
  billingNotEnabled: 'enable billing for the project',
  jobUser: 'grant the service account the role BigQuery Job User on the project',
  dataViewer: 'grant the service account the role BigQuery Data Viewer on the data',
};

/** What a sentence of BigQuery is about, whatever its reason. */
const SENTENCES: [RegExp, string][] = [
  // Queries ask only for access to BigQuery. A table over a file in Google Drive also needs access to the file.
  [/\bDrive (?:credentials|scope)|while globbing file pattern/i, 'drive'],
  [/without a filter over column/i, 'partitionFilter'],
  [/\bbigquery\.jobs\.create\b/, 'jobUser'],
  [
    /\bbigquery\.tables\.getData\b|does not have permission to query table|\bbigquery\.tables\.get\b/,
    'dataViewer',
  ],
];

/** The error in an answer. */
const errorAnswer = z.object({
  error: z.object({
    errors: z.array(z.object({ reason: z.string().catch(''), message: z.string().catch('') })).min(1),
  }),
});

/** Why BigQuery refused a request or failed a job. */
export interface Refusal {
  /** Undefined for a job. */
  status?: number;
  reason: string;
  message: string;
}

/**
 * Returns the error for a refused request or a failed job: Outage if it may pass by itself, `conflict` for a job that exists, and
 * else `invalid` with what to do and BigQuery's own sentence. No part of it holds a credential.
 *
 * @param ofQuery what to do about this query, if it is not the same for all.
 */
export function refused({ status, reason, message }: Refusal, ofQuery: Advice = {}): Error {
  const sentence = sentenceOf(message);
  const said = sentence === '' ? reason : sentence;
  if (PASSING.has(reason) || (status !== undefined && mayPass(status))) {
    return new Outage(`BigQuery is not available${status === undefined ? '' : ` (${status})`}: ${said}`);
  }
  if (reason === 'duplicate' || status === 409) return conflict(`BigQuery: ${said}`);
  const subject = SENTENCES.find(([said]) => said.test(sentence))?.[1] ?? reason;
  const advice = adviceOn(status, subject, { ...ADVICE, ...ofQuery });
  return invalid(`${advice} (BigQuery: ${said === '' ? `status ${status ?? 'unknown'}` : said})`);
}

const adviceOn = (status: number | undefined, subject: string, advice: Advice): string =>
  (status === 401 ? advice['authError'] : advice[subject]) ??
  (status === 403 ? advice['accessDenied'] : undefined) ??
  'correct the query or the connection';

/** Whether a job failed in a way that another job with the same query may avoid. */
export const isPassing = (reason: string): boolean => PASSING.has(reason);

/**
 * Returns the error for an answer that is no success.
 *
 * @param content the JSON of the answer.
 */
export function failureIn(
  { status, redirectsTo }: GuardedAnswer,
  content: unknown,
  { host, advice }: { host: string; advice?: Advice | undefined },
): Error {
  if (redirectsTo !== null)
    return invalid(
      `${host} answered ${status}, a redirect to ${redirectsTo}, which is not followed: is BIGQUERY_API_ENDPOINT right?`,
    );
  const [first] = errorAnswer.safeParse(content).data?.error.errors ?? [];
  // The text of an answer without BigQuery's error may come from a proxy, and repeat the request.
  return refused({ status, ...(first ?? { reason: '', message: `${host} answered ${status}` }) }, advice);
}

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
