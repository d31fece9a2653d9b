import type { z } from 'zod';
import { mayBeCredential } from '../../domain/shared/text/credential-like.ts';
import { invalid, type ServiceError } from '../../domain/shared/errors.ts';
import { expectation } from '../../domain/shared/text/expectation.ts';
import { cut, forMessage } from '../../domain/shared/text/for-message.ts';

/** The most characters of a path in an error, because the caller chooses the names in it. */
const LONGEST_PATH = 200;
/** The most unknown fields that an error names. */
const MOST_UNKNOWN_FIELDS = 10;

/**
 * Returns a path in an input as text, such as `values[3].period`, cut to a readable length. The caller chooses the names in it, which
 * may be credentials.
 */
export const pathText = (path: readonly PropertyKey[]): string =>
  cut(
    path
      .map(shownName)
      .reduce<string>(
        (text, part) =>
          typeof part === 'number'
            ? `${text}[${part}]`
            : text === ''
              ? String(part)
              : `${text}.${String(part)}`,
        '',
      ),
    LONGEST_PATH,
  );

const shownName = (part: PropertyKey): PropertyKey =>
  typeof part === 'string' && mayBeCredential(part) ? '…' : part;

/** Returns the part of the input at a path. If the path leads into a text that the schema splits, returns the whole text. */
const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[part] : value,
    input,
  );

/**
 * Returns the 400 for an input that its schema rejects. It reports at most three problems, each with the path of the field, what
 * was expected, and the value that was sent (docs/http.md#what-all-answers-have-in-common).
 *
 * @param part the name of the input, such as `body` or `query`.
 */
export function invalidInput(error: z.ZodError, input: unknown, part: string): ServiceError {
  const messages = error.issues.slice(0, 3).map((issue) => {
    if (issue.code === 'unrecognized_keys') {
      const names = issue.keys.slice(0, MOST_UNKNOWN_FIELDS).map((key) => pathText([...issue.path, key]));
      const others = issue.keys.length - names.length;
      return `${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}: unknown field${issue.keys.length > 1 ? 's' : ''} in the ${part}`;
    }
    const value = valueAt(input, issue.path);
    const got = issue.code === 'too_big' || issue.code === 'too_small' ? sizeOf(value) : forMessage(value);
    return `${pathText(issue.path) || part}: ${expectation(issue)}, got ${got}`;
  });
  return invalid(messages.join('; '));
}

const sizeOf = (value: unknown): string =>
  Array.isArray(value) ? `${value.length} items` : forMessage(value);
