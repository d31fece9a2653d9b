/**
 * A line that the server's stores write when the database has failed: `error` has the database's error, in quotes. Quotes inside
 * a value are escaped, so that no value can look like a field.
 */
const STORE_FAILED =
  /^time=\S+ level=ERROR msg="Operation failed with (?:an|internal) error\." (?:[\w-]+=(?:"(?:[^"\\]|\\.)*"|[^\s"]*) )*?error="((?:[^"\\]|\\.)*)"/;

/** SQLite's words and codes (SQLITE_CORRUPT with its kinds, SQLITE_NOTADB), which end the error. Names may come before them. */
const DAMAGED =
  /(?:^|: )((?:database disk image is malformed|file is not a database)(?:: .*)? \((?:11|267|523|779|26)\))$/;

/** SQLite's words about a damaged database, if a line of the server's log has them as the error of a store; else null. */
export const damageInLine = (line: string): string | null =>
  DAMAGED.exec(STORE_FAILED.exec(line)?.[1] ?? '')?.[1] ?? null;
