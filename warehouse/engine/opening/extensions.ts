import { join } from 'node:path';
import { isThere } from '../is-there.ts';
import { sqlText } from '../sql/sql-text.ts';
import type { Statements } from '../session.ts';

/** DuckDB's names of the extensions that the product may need. */
export type Extension = 'ducklake' | 'postgres_scanner' | 'httpfs';

/**
 * Loads a signed DuckDB extension from the configured directory. If the directory lacks it, DuckDB installs it (design §1).
 * If DuckDB cannot, throws an error that says how to provide it.
 */
export const loadExtension = async (
  session: Statements,
  extension: Extension,
  directory: string | null,
): Promise<void> => {
  if (directory !== null) {
    const file = join(directory, `${extension}.duckdb_extension`);
    if (await isThere(file)) {
      await session.run(`LOAD ${sqlText(file)}`);
      return;
    }
  }
  try {
    await session.run(`INSTALL ${extension}`);
    await session.run(`LOAD ${extension}`);
  } catch (cause) {
    throw new Error(
      `the DuckDB extension ${extension} could not be loaded` +
        (directory === null ? '' : ` (${directory} has no ${extension}.duckdb_extension)`) +
        `, and DuckDB could not install it: set DUCKDB_EXTENSIONS to a directory that holds it, ` +
        `for example one filled by scripts/fetch-duckdb-extensions.sh`,
      { cause },
    );
  }
};
