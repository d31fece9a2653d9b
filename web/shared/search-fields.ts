import * as z from 'zod/mini';

export const DAY = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/));

/** A field of an address that may be missing. What it cannot have counts as missing. */
export const optional = <Output, Input>(type: z.ZodMiniType<Output, Input>) =>
  z.catch(z.optional(type), undefined);

/** A field of an address that has one of some words. What it cannot have counts as the first. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z._default(z.catch(z.enum(words), words[0]), words[0]);

/** A text in an address; empty without it. */
export const TEXT = z._default(z.catch(z.string(), ''), '');
