import { describe, expect, it } from 'vitest';
import { normalRepository } from '../../../domain/sources/repository.ts';
import { SPELLINGS } from '../../support/exports/repository-spellings.ts';

describe('a repository', () => {
  it.each(SPELLINGS)('%j has the normal name %j', (spelling, normal) => {
    expect(normalRepository(spelling)).toBe(normal);
    expect(normalRepository(normal)).toBe(normal);
  });
});
