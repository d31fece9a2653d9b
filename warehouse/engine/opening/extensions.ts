import { join } from 'node:path';
import { invalid } from '../../../domain/shared/errors.ts';
import { isThere } from '../is-there.ts';
import { sqlText } from '../sql/sql-text.ts';
import type { Statements } from '../session.ts';

/** DuckDB's names of the extensions that the product may need. */
export type Extension = 'ducklake' | 'postgres_scanner' | 'httpfs';

/** How long a download may take. DuckDB itself waits for minutes if its site does not respond. */
const INSTALL_MS = 30_000;

/**
 * Loads a signed DuckDB extension from the configured directory. If the directory lacks it, DuckDB installs it (design §1). The
 * caller must end a session that fails, because a download may still run in it.
 *
 * @throws ServiceError `invalid` that says how to provide the extension, if DuckDB cannot install it within half a minute
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
  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer from its site within ${INSTALL_MS / 1000} s`));
    }, INSTALL_MS);
  });
  try {
    await Promise.race([session.run(`INSTALL ${extension}`), tooSlow]);
    await session.run(`LOAD ${extension}`);
  } catch (error) {
    const lacks = directory === null ? '' : `DUCKDB_EXTENSIONS has no ${extension}.duckdb_extension, and `;
    throw invalid(
      `the DuckDB extension ${extension} cannot be loaded: ${lacks}DuckDB could not install it (${reasonOf(error)}); ` +
        'run scripts/fetch-duckdb-extensions.sh DIR, which takes it from PyPI, and set DUCKDB_EXTENSIONS to DIR',
    );
  } finally {
    clearTimeout(timer);
  }
};

/** Returns the reason in DuckDB's error about an extension. The rest names paths of this machine, and pages about other causes. */
const reasonOf = (error: unknown): string => {
  const [first = '', ...rest] = (error instanceof Error ? error.message : String(error)).split('\n');
  const [, reason = first] = /\(ERROR ([^)]*)\)/.exec(rest.join('\n')) ?? [];
  return reason;
};
