import { forMessage } from './text/for-message.ts';

/**
 * The kinds of errors that a caller can act on. The API maps each kind to one HTTP status. The activities use it to decide whether
 * to retry. Any other error is internal: the API answers 500 without its message.
 */
export type ErrorKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'too_slow'
  | 'conflict'
  | 'too_large'
  | 'unsupported_type'
  | 'quota_exceeded'
  | 'unavailable';

/** An error whose message states what was expected, what came and what to do. Its caller may see the message. */
export class ServiceError extends Error {
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ServiceError';
    this.kind = kind;
  }
}

/** A problem that may pass by itself, such as an unreachable host or a reached limit. Background work retries it. */
export class Outage extends Error {
  override readonly name = 'Outage';
}

export const invalid = (message: string): ServiceError => new ServiceError('invalid', message);
export const unauthenticated = (message: string): ServiceError =>
  new ServiceError('unauthenticated', message);
export const forbidden = (message: string): ServiceError => new ServiceError('forbidden', message);
export const notFound = (what: string, id: string): ServiceError =>
  new ServiceError('not_found', `${what} ${forMessage(id)} does not exist in this organisation`);
export const conflict = (message: string): ServiceError => new ServiceError('conflict', message);
export const tooLarge = (mostBytes: number): ServiceError =>
  new ServiceError(
    'too_large',
    `body: too large, expected at most ${mostBytes < 2 ** 20 ? `${mostBytes / 2 ** 10} KiB` : `${mostBytes / 2 ** 20} MiB`}`,
  );
/** Too many requests at once, or a machine short of resources. The same request may succeed later. */
export const unavailable = (message = 'busy; try again', options?: ErrorOptions): ServiceError =>
  new ServiceError('unavailable', message, options);
