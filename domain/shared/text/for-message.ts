import { mayBeCredential } from './credential-like.ts';

const LONGEST = 80;

/** Cuts a text to a readable length. */
export const cut = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest)}…` : text;

/**
 * Formats a received value for an error message: as JSON, cut to a readable length. Never repeats what may be a credential, because
 * people send those in wrong fields, and messages end in logs and tickets.
 */
export function forMessage(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value))
    return value.length === 1 ? 'a list of 1 item' : `a list of ${value.length} items`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'string' && mayBeCredential(value)) return 'a text that may be a credential';
  return cut(JSON.stringify(value), LONGEST);
}

/** Returns the first `most` texts, and a text with the number of the others. */
export const firstAndMore = (texts: readonly string[], most: number): string[] =>
  texts.length > most ? [...texts.slice(0, most), `and ${texts.length - most} more`] : [...texts];
