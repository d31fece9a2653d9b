/** SQLite's words, with its codes, for a file that no start will ever read: SQLITE_NOTADB, SQLITE_CORRUPT, another schema. */
const UNREADABLE =
  /file is not a database(: .*)? \(26\)|database disk image is malformed(: .*)? \((11|267|523|779)\)|SQL logic error: (no such (table|column): |table \S+ has no column named )/;

/**
 * Whether the error of a server that did not start, with the end of its log, says that its database is damaged or of another version. A lock, a full disk,
 * a missing right or a port in use is an outage: the database may be whole.
 */
export const databaseIsUnreadable = (log: string): boolean => UNREADABLE.test(log);
