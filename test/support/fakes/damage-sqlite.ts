import { readFile, rm, writeFile } from 'node:fs/promises';

const WAL_HEADER = 32;
const FRAME_HEADER = 24;

/**
 * Writes zeros over the first page of a table or an index of a SQLite database that no process has open.
 *
 * @param owner the table of an index. A table is its own owner.
 */
export async function damageSqlite(database: string, name: string, owner = name): Promise<void> {
  const whole = await withWriteAheadLog(database);
  const pageSize = whole.readUInt16BE(16);
  // A row of the schema has a type, name, table, number of the first page, and statement.
  const entry = `${name === owner ? 'table' : 'index'}${name}${owner}`;
  const at = whole.indexOf(entry);
  if (at < 0) throw new Error(`${database} has no ${name}`);
  const number = at + entry.length;
  const page = whole.readUIntBE(number, whole.indexOf('CREATE', number) - number);
  await writeFile(database, whole.fill(0, (page - 1) * pageSize, page * pageSize));
  for (const suffix of ['-wal', '-shm']) await rm(database + suffix, { force: true });
}

/** Returns the content of a database, with the committed pages of its write-ahead log. */
async function withWriteAheadLog(database: string): Promise<Buffer> {
  let whole = await readFile(database);
  const log = await readFile(`${database}-wal`).catch(() => Buffer.alloc(0));
  if (log.length < WAL_HEADER) return whole;
  const pageSize = log.readUInt32BE(8);
  const salts = log.subarray(16, 24);
  let transaction: { end: number; content: Buffer }[] = [];
  for (let at = WAL_HEADER; at + FRAME_HEADER + pageSize <= log.length; at += FRAME_HEADER + pageSize) {
    // The frames from here on are from before the log restarted.
    if (!log.subarray(at + 8, at + 16).equals(salts)) break;
    const content = log.subarray(at + FRAME_HEADER, at + FRAME_HEADER + pageSize);
    transaction.push({ end: log.readUInt32BE(at) * pageSize, content });
    const isCommit = log.readUInt32BE(at + 4) > 0;
    if (!isCommit) continue;
    for (const { end, content: page } of transaction) {
      if (end > whole.length) whole = Buffer.concat([whole], end);
      page.copy(whole, end - pageSize);
    }
    transaction = [];
  }
  return whole;
}
