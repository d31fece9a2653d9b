import { expect, it } from 'vitest';
import { notFound } from '../../../domain/shared/errors.ts';

it('names a missing thing without a hint at other organisations', () => {
  expect(notFound('metric', 'met_1').message).toBe('metric "met_1" does not exist in this organisation');
});
