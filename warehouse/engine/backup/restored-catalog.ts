import { Client, DatabaseError } from 'pg';
import { catalogUrl } from '../locks/catalog-url.ts';
import { withSlash } from './lake-files.ts';

/** SQLSTATE of a connection to a database that does not exist. */
const NO_DATABASE = '3D000';

/** Whether a database of Postgres has the catalog of a DuckLake. */
export async function hasCatalog(catalog: string): Promise<boolean> {
  try {
    return await withClient(catalog, async (client) => {
      const { rows } = await client.query<{ is_there: boolean }>(
        `SELECT to_regclass('ducklake_metadata') IS NOT NULL AS is_there`,
      );
      return rows[0]?.is_there === true;
    });
  } catch (error) {
    if (error instanceof DatabaseError && error.code === NO_DATABASE) return false;
    throw error;
  }
}

/** Sets the data path of a catalog. The paths of its files are relative to it. */
export const setDataPath = (catalog: string, dataPath: string): Promise<void> =>
  withClient(catalog, async (client) => {
    await client.query(`UPDATE ducklake_metadata SET value = $1 WHERE key = 'data_path'`, [
      withSlash(dataPath),
    ]);
  });

async function withClient<Result>(
  catalog: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(catalogUrl(catalog));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
