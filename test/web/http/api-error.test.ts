import { describe, expect, it } from 'vitest';
import { ApiError, isConflict, isSignedOut, messageOf } from '../../../web/http/api-error.ts';

const refusal = (status: number, message: string, headers: Record<string, string> = {}) =>
  new ApiError(message, { status, headers: new Headers(headers) });

describe('an error of the API', () => {
  it('is shown without the position of a thing in a list that was sent', () => {
    expect(messageOf(refusal(400, 'ownership[1]: namespace shop is owned by Search'))).toBe(
      'namespace shop is owned by Search',
    );
    expect(messageOf(refusal(400, 'name: expected a text'))).toBe('name: expected a text');
  });

  it('is another one if the service did not answer', () => {
    expect(messageOf(new TypeError('Failed to fetch'))).toMatch(/^The service cannot be reached\./);
  });

  it('knows after how many seconds to ask again', () => {
    expect(refusal(503, 'busy', { 'retry-after': '2' }).retryAfter).toBe(2);
    expect(refusal(503, 'busy', { 'retry-after': 'soon' }).retryAfter).toBeNull();
    expect(refusal(503, 'busy').retryAfter).toBeNull();
  });

  it('can be the end of the session, or a conflict', () => {
    expect([isSignedOut(refusal(401, '')), isSignedOut(refusal(403, '')), isSignedOut(null)]).toEqual([
      ...[true, false, false],
    ]);
    expect([isConflict(refusal(409, '')), isConflict(new Error('409'))]).toEqual([true, false]);
  });
});
