import { expect, it } from 'vitest';
import {
  conflict,
  forbidden,
  invalid,
  notFound,
  ServiceError,
  unauthenticated,
  unavailable,
} from '../../../domain/shared/errors.ts';

it.each([
  [invalid('x'), 400],
  [unauthenticated('x'), 401],
  [forbidden('x'), 403],
  [notFound('metric', 'met_1'), 404],
  [conflict('x'), 409],
  [new ServiceError('quota_exceeded', 'x'), 429],
  [unavailable(), 503],
])('%s has status %i', (error, status) => {
  expect(error.status).toBe(status);
  expect(error).toBeInstanceOf(Error);
});

it('names a missing thing without a hint at other organisations', () => {
  expect(notFound('metric', 'met_1').message).toBe('metric "met_1" does not exist in this organisation');
});
