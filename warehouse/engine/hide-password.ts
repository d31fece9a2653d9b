/** Matches the password of a connection string, in both spellings: `password=…`, and in a URL such as `postgresql://user:…@host`. */
const PASSWORD =
  /(\bpassword\s*=\s*)('(?:[^'\\]|\\[^])*'|(?:[^\s'"\\]|\\[^])*)|(\b[a-z][a-z0-9+.-]*:\/\/[^\s:@/]*:)[^\s@]*(?=@)/gi;

/** Returns a text without the passwords of connection strings in it. */
export const withoutPassword = (text: string): string => text.replace(PASSWORD, '$1$3…');

/** Hides passwords in an error's message. DuckDB repeats the catalog's connection string if it cannot connect. */
export const hidePassword = (error: unknown): void => {
  if (error instanceof Error) {
    // The stack begins with the message.
    if (error.stack !== undefined) error.stack = withoutPassword(error.stack);
    error.message = withoutPassword(error.message);
  }
};
