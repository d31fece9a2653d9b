import { expect } from 'vitest';

/** Vitest's matchers inside an expected object, typed as `unknown` instead of `any`. */
export const anyText: unknown = expect.any(String);
export const textLike = (pattern: RegExp): unknown => expect.stringMatching(pattern);
