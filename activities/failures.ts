import { ApplicationFailure } from '@temporalio/common';
import { ServiceError } from '../domain/errors.ts';

/** DuckDB's errors about what was read, which no repetition mends; its IO and HTTP errors may pass. */
const BAD_DATA =
  /^(Invalid Input|Conversion|Binder|Parser|Serialization|Out of Range) Error|No magic bytes found/;
const REFUSED_BY_HOST =
  /\b(HTTP )?(400|401|403|404|410)\b.*(Unauthorized|Forbidden|Not Found|Gone|Bad Request)/i;

/**
 * An error as Temporal should treat it: what a person must mend fails at once with its message, an outage is
 * tried again (design §3).
 */
export const toFailure = (error: unknown): Error => {
  if (error instanceof ServiceError) return ApplicationFailure.nonRetryable(error.message, error.kind);
  if (!(error instanceof Error)) return new Error(String(error));
  if (BAD_DATA.test(error.message) || REFUSED_BY_HOST.test(error.message)) {
    return ApplicationFailure.nonRetryable(error.message, 'bad_data');
  }
  return error;
};
