/** An answer of the API other than a success, with its message. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Seconds after which the service wants to be asked again, or null. */
  readonly retryAfter: number | null;

  constructor(message: string, { status, headers }: Pick<Response, 'status' | 'headers'>) {
    super(message);
    this.status = status;
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    this.retryAfter = Number.isFinite(seconds) ? seconds : null;
  }
}

/** The position of a thing in a list that was sent, for example `ownership[1]: `. The rest of the message names the thing. */
const POSITION = /^\w+\[\d+\]: /;

/** Returns what to tell a person about an error. */
export const messageOf = (error: unknown): string =>
  error instanceof ApiError
    ? error.message.replace(POSITION, '')
    : 'The service cannot be reached. Check the connection and try again.';

/** Whether the session has ended, or was never there. */
export const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** Whether what was asked does not fit what the service has by now, for example because a run is under way. */
export const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409;
