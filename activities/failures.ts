import { ApplicationFailure } from '@temporalio/common';
import { ServiceError } from '../domain/errors.ts';

/** DuckDB's errors about what was read, which no repetition mends; its IO and HTTP errors may pass. */
const BAD_DATA =
  /^(Invalid Input|Conversion|Binder|Parser|Serialization|Out of Range) Error|No magic bytes found|not a GZIP stream|Failed to decode gzip stream/;
const REFUSED_BY_HOST = /\(HTTP (400|401|403|404|410)\b[^)]*\)/;
/** A signed URL's query is a credential, and DuckDB repeats it. */
const URL_QUERY = /(\bhttps?:\/\/[^\s'"?]+)\?[^\s'"]*/g;

/**
 * An error as Temporal should treat it: what a person must mend fails at once with its message, an outage is
 * tried again (design §3).
 */
export const toFailure = (error: unknown): Error => {
  if (error instanceof ServiceError) return ApplicationFailure.nonRetryable(error.message, error.kind);
  if (!(error instanceof Error)) return new Error(String(error));
  const message = error.message.replace(URL_QUERY, '$1?…');
  if (BAD_DATA.test(message) || REFUSED_BY_HOST.test(message)) {
    return ApplicationFailure.nonRetryable(message, 'bad_data');
  }
  return message === error.message ? error : ApplicationFailure.retryable(message);
};
