/** Matches the password of a connection string, in both spellings: `password=…`, and in a URL such as `postgresql://user:…@host`. */
const PASSWORD =
  /(\bpassword\s*=\s*)('(?:[^'\\]|\\[^])*'|(?:[^\s'"\\]|\\[^])*)|(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/]*:)[^\s@]*(?=@)/gi;

/** Matches the part of a statement that DuckDB adds to a message. It can have values, such as revenue. */
const STATEMENT = /\n+LINE \d+: [^]*$/;

/** Returns a text without the passwords of connection strings in it. */
export const withoutPassword = (text: string): string => text.replace(PASSWORD, '$1$3…');

/**
 * Hides passwords in an error's message, and removes the statement. DuckDB repeats the catalog's connection string if it cannot
 * connect.
 */
export function hideSecrets(error: unknown): void {
  if (!(error instanceof Error)) return;
  const shown = withoutPassword(error.message.replace(STATEMENT, ''));
  // The stack begins with the message.
  if (error.stack !== undefined)
    error.stack = withoutPassword(error.stack.replace(error.message, () => shown));
  error.message = shown;
}
