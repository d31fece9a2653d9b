import { expect } from 'vitest';

/** Vitest's matchers inside an expected object, without the `any` that they are typed as. */
export const anyText: unknown = expect.any(String);
export const textLike = (pattern: RegExp): unknown => expect.stringMatching(pattern);
