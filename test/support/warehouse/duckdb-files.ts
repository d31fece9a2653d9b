import { DuckDBInstance } from '@duckdb/node-api';

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Writes the result of a SELECT into a file, in the format of its name: `.parquet`, `.csv` or `.csv.gz`. It makes the large
 * files and the Parquet files of the tests, without the product.
 */
export const writeTable = async (file: string, select: string): Promise<void> => {
  const instance = await DuckDBInstance.create(':memory:');
  try {
    const connection = await instance.connect();
    await connection.run(`SET TimeZone = 'UTC'`);
    const options = file.endsWith('.parquet') ? 'FORMAT parquet' : 'FORMAT csv, HEADER';
    await connection.run(`COPY (${select}) TO ${quoted(file)} (${options})`);
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
};

/** Returns a SELECT that reads a CSV file, with every column as text. */
export const fromCsv = (file: string): string =>
  `SELECT * FROM read_csv(${quoted(file)}, header = true, all_varchar = true)`;
