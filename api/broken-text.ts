import { invalid } from '../domain/errors.ts';
import { shown } from '../domain/shown.ts';
import { pathText } from './invalid-input.ts';

const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * Throws, naming the place, when a body holds half a surrogate pair: no Unicode text, and nothing stores it. Only an
 * escape can write one, so that other bodies are not looked through.
 */
export const refuseBrokenText = (body: string, parsed: unknown): void => {
  if (SURROGATE_ESCAPE.test(body)) refuse(parsed, []);
};

const refuse = (value: unknown, path: readonly PropertyKey[]): void => {
  if (typeof value === 'string') {
    if (/\p{Surrogate}/u.test(value))
      throw invalid(`${pathText(path) || 'body'}: expected Unicode text, got ${shown(value)}`);
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuse(item, [...path, index]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      refuse(key, path);
      refuse(item, [...path, key]);
    }
  }
};
