import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Outage, ServiceError } from '../../domain/shared/errors.ts';
import { mayPass } from '../../egress/requests/passing-status.ts';
import { isCatalogAway } from '../../warehouse/engine/passing-failures.ts';
import { isShortOfMemory } from '../../warehouse/engine/short-of-memory.ts';

/** The number of attempts after which an unknown error counts as permanent. */
const MOST_TRIES_UNKNOWN = 3;

/** Errors that a person must fix: DuckDB's errors about data or statements, and refusals by the operating system. */
const PERMANENT =
  /^(Invalid Input|Invalid|Conversion|Binder|Parser|Serialization|Out of Range|Not implemented|Permission|Missing Extension) Error|No magic bytes found|not a GZIP stream|Failed to decode gzip stream|\bSSL (peer certificate|connect error|connection failed|server verification)|Could not read enough bytes|Permission denied|^EACCES|^EPERM|^EISDIR|^ENOTDIR|^ELOOP|^ENXIO/;

/** The status with which a host refused a request of DuckDB. */
const REFUSED_BY_HOST = /\(HTTP ([45]\d\d)\b[^)]*\)/;

/** Errors that pass by themselves: hosts and disks that are away for a while, files in use, conflicting writes. */
const PASSING =
  /^HTTP Error|^TransactionContext Error(?![^]*Checkpoint failed)|^Transaction Error|Conflict on|[Cc]ould not (connect|resolve|establish)|[Uu]nable to connect|[Cc]onnection (reset|refused|closed|lost|timed out)|timed? ?out|Stale file handle|Too many open files|Resource temporarily unavailable|Input\/output error|No such file or directory|No files found|Interrupted!|\b(ECONNRESET|ECONNREFUSED|ETIMEDOUT|EPIPE|EAI_AGAIN|EMFILE|ENFILE|EBUSY|EIO|ESTALE|ENOENT)\b/;

/** Replaces DuckDB's message, which ends in advice that nobody can follow here. */
const NEEDS_MORE_MEMORY =
  'the load needs more memory than DUCKDB_MEMORY_LIMIT gives: load fewer months at once, or let the operator raise it';

/** Replaces Postgres' message, which names the operator's host and database. */
const CATALOG_AWAY = 'the catalog of the warehouse is away';

/** DuckDB's errors for an interrupted connection. It calls them invalid, although the data is not at fault. */
const BROKEN_OFF =
  /^Invalid Error: (Transferred a partial file|Failure when receiving data|Failed (sending data|to read connection)|Server returned nothing|Timeout was reached|Stream error in the HTTP|Error in the HTTP)/;

/** The classes of JavaScript's own errors. */
const INTERNAL = [TypeError, RangeError, SyntaxError, ReferenceError, URIError];

const UNEXPECTED = 'an unexpected error of the service; its log has the cause, so ask the operator';

/** Whether an error is one of JavaScript's own, whose message helps nobody but a developer. */
export const isInternal = (error: unknown): error is Error =>
  INTERNAL.some((internal) => error instanceof internal);

/** Returns the message of an error for the organisation. */
export function messageOf(error: unknown): string {
  if (isInternal(error)) return UNEXPECTED;
  return error instanceof Error ? error.message : String(error);
}

/** A signed URL's query is a credential, and DuckDB repeats it in messages. */
const URL_QUERY = /(\bhttps?:\/\/[^\s'"?]+)\?[^\s'"]*/g;

/**
 * Converts an error to the failure that Temporal should see. An error that a person must fix fails at once with its message. An
 * error that can pass is retried. An unknown error is tried three times (docs/design.md#steps-can-stop-at-any-point).
 *
 * @param attempt the number of the failed attempt, from 1.
 */
export function toFailure(error: unknown, attempt: number): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  const isOutage = error instanceof Outage || (error instanceof ServiceError && error.kind === 'unavailable');
  if (error instanceof ServiceError && !isOutage)
    return ApplicationFailure.nonRetryable(error.message, error.kind);
  const message = isShortOfMemory(error) ? NEEDS_MORE_MEMORY : messageOf(error).replace(URL_QUERY, '$1?…');
  if (isCatalogAway(error)) return ApplicationFailure.retryable(CATALOG_AWAY, 'outage');
  if (isOutage || BROKEN_OFF.test(message)) return ApplicationFailure.retryable(message, 'outage');
  const [, status] = REFUSED_BY_HOST.exec(message) ?? [];
  const passesAtHost = status === undefined ? null : mayPass(Number(status));
  if (PERMANENT.test(message) || passesAtHost === false)
    return ApplicationFailure.nonRetryable(message, 'bad_data');
  if (PASSING.test(message) || passesAtHost === true) return ApplicationFailure.retryable(message, 'outage');
  return attempt < MOST_TRIES_UNKNOWN
    ? ApplicationFailure.retryable(message, 'unknown')
    : ApplicationFailure.nonRetryable(message, 'unknown');
}

/** Whether Temporal retries after a failure of {@link toFailure}. */
export const isTriedAgain = (failure: Error): boolean =>
  failure instanceof ApplicationFailure && failure.nonRetryable !== true;
