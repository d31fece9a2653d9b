import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Runs SQL in an empty database, without the product. Its times are UTC. */
async function inDuckDb<Result>(run: (connection: DuckDBConnection) => Promise<Result>): Promise<Result> {
  const instance = await DuckDBInstance.create(':memory:');
  try {
    const connection = await instance.connect();
    await connection.run(`SET TimeZone = 'UTC'`);
    const result = await run(connection);
    connection.closeSync();
    return result;
  } finally {
    instance.closeSync();
  }
}

/**
 * Writes the result of a SELECT into a file, in the format of its name: `.parquet`, `.csv` or `.csv.gz`. It makes the large
 * files and the Parquet files of the tests, without the product.
 */
export const writeTable = (file: string, select: string): Promise<void> =>
  inDuckDb(async (connection) => {
    const options = file.endsWith('.parquet') ? 'FORMAT parquet' : 'FORMAT csv, HEADER';
    await connection.run(`COPY (${select}) TO ${quoted(file)} (${options})`);
  });

/** Returns the rows of a Parquet file, with every column as text. */
export const parquetRows = (file: string): Promise<unknown[]> =>
  inDuckDb(async (connection) => {
    const reader = await connection.runAndReadAll(
      `SELECT COLUMNS(*)::VARCHAR FROM read_parquet(${quoted(file)})`,
    );
    return reader.getRowObjects();
  });

/** Returns a SELECT that reads a CSV file, with every column as text. */
export const fromCsv = (file: string): string =>
  `SELECT * FROM read_csv(${quoted(file)}, header = true, all_varchar = true)`;
