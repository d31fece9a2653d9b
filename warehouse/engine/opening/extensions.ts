import { join } from 'node:path';
import { invalid, Outage, ServiceError } from '../../../domain/shared/errors.ts';
import { isThere } from '../is-there.ts';
import { sqlText } from '../sql/sql-text.ts';
import type { Statements } from '../session.ts';

/** DuckDB's names of the extensions that the product may need. */
export type Extension = 'ducklake' | 'postgres_scanner' | 'httpfs' | 'azure';

/** How long a download may take. DuckDB itself waits for minutes if its site does not respond. */
const INSTALL_MS = 30_000;

/**
 * Loads a signed DuckDB extension from the configured directory. If the directory lacks it, DuckDB installs it
 * (docs/design.md#a-batch-pipeline-with-a-thin-api). The caller must end a session that fails, because a download may still run
 * in it.
 *
 * @throws ServiceError `invalid` that says how to provide the extension, at the latest after half a minute
 */
export async function loadExtension(
  session: Statements,
  extension: Extension,
  directory: string | null,
): Promise<void> {
  const file = directory === null ? null : join(directory, `${extension}.duckdb_extension`);
  const isProvided = file !== null && (await isThere(file));
  try {
    if (!isProvided) await install(session, extension);
    await session.run(`LOAD ${isProvided ? sqlText(file) : extension}`);
  } catch (error) {
    // The reader has ended, and the reason is not the extension.
    if (error instanceof Outage || error instanceof ServiceError) throw error;
    const what =
      file === null || isProvided ? '' : `DUCKDB_EXTENSIONS has no ${extension}.duckdb_extension, and `;
    throw invalid(
      `the DuckDB extension ${extension} cannot be loaded: ${what}${reasonOf(error)}; ` +
        'run scripts/fetch-duckdb-extensions.sh DIR, which takes it from PyPI, and set DUCKDB_EXTENSIONS to DIR',
    );
  }
}

/** Downloads the extension from DuckDB's site, unless an earlier call has. */
async function install(session: Statements, extension: Extension): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`DuckDB's site has not sent it within ${INSTALL_MS / 1000} s`));
    }, INSTALL_MS);
  });
  try {
    await Promise.race([session.run(`INSTALL ${extension}`), tooSlow]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the first line of DuckDB's error, with the cause of a failed download. The rest is advice for DuckDB's own shell. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [first = ''] = message.split('\n');
  const [cause = ''] = /\((ERROR|HTTP) [^)]*\)/.exec(message.slice(first.length)) ?? [];
  return cause === '' ? first : `${first} ${cause}`;
}
