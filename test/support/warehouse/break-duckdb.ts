import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const COLUMNS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

/**
 * Returns a statement that breaks DuckDB 1.5.5 with an internal error. It reads only a late column of a file, in which one line
 * has invalid UTF-8 and a field too many.
 */
export async function breakingStatement(directory: string): Promise<string> {
  const path = join(directory, 'breaking.csv');
  await writeFile(path, Buffer.from(`${COLUMNS.join(',')}\nx,x,x,x,x,x,x,Caf\xe9,more\n`, 'latin1'));
  const types = COLUMNS.map((name) => `${name}: 'VARCHAR'`).join(', ');
  return `SELECT max(h) FROM read_csv('${path}', auto_detect = false, delim = ',', quote = '"', escape = '"',
    header = true, columns = {${types}}, store_rejects = true)`;
}
