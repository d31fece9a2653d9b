import { CONTROL_CHARACTER, NO_CONTROL_CHARACTERS } from '../../domain/shared/text/control-characters.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import { pathText } from '../http/invalid-input.ts';

/** Escaped control characters and surrogates, and the control characters that JSON allows without an escape. */
const SUSPECT = /\\u[dD][89a-fA-F]|\\u00[0189]|\\u007[fF]|\\[bfnrt]|[\u007f-\u009f]/;

/**
 * Throws if a text in a body has half a surrogate pair or a control character. The message has the path of the text. Skips
 * bodies that cannot contain one.
 *
 * @param ownRules fields that the route checks itself: texts with line breaks, and credentials, which no message may repeat.
 */
export function refuseBrokenText(body: string, parsed: unknown, ownRules: readonly string[] = []): void {
  if (!SUSPECT.test(body)) return;
  if (ownRules.length === 0 || typeof parsed !== 'object' || parsed === null) refuse(parsed, [], 'body');
  else
    refuse(Object.fromEntries(Object.entries(parsed).filter(([key]) => !ownRules.includes(key))), [], 'body');
}

/** Throws if a parameter in a path or query (`part`) has a control character. The message names the parameter. */
export function refuseBrokenParameters(parameters: unknown, part: 'path' | 'query'): void {
  refuse(parameters, [], part);
}

function refuse(value: unknown, path: readonly PropertyKey[], part: string): void {
  if (typeof value === 'string') {
    const expected = CONTROL_CHARACTER.test(value)
      ? NO_CONTROL_CHARACTERS
      : /\p{Surrogate}/u.test(value)
        ? 'expected Unicode text'
        : null;
    if (expected !== null) throw invalid(`${pathText(path) || part}: ${expected}, got ${forMessage(value)}`);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuse(item, [...path, index], part);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      refuse(key, path, part);
      refuse(item, [...path, key], part);
    }
  }
}
