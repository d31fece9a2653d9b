import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { streamParquet } from '../../../warehouse/engine/parquet-file.ts';
import { openDuckDb } from '../../support/warehouse/engines.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Files of bytes that nobody has read wait in the directory of spilled data. None may stay there. */
describe('a Parquet file that is streamed', () => {
  const test = withOpened(openDuckDb);

  const left = async (): Promise<string[]> =>
    (await readdir(test.settings.spillDirectory)).filter((name) => name.startsWith('export-'));
  const stream = (select: string, signal = new AbortController().signal) =>
    streamParquet(test.warehouse, select, {}, signal);

  it('has no name any more while it is read, and is gone if the reader leaves', async () => {
    let bytes = 0;
    for await (const part of stream('SELECT hash(i) AS hash FROM range(200_000) AS rows(i)')) {
      expect(await left()).toEqual([]);
      bytes += part.length;
      if (bytes > 100_000) break;
    }
    expect(bytes).toBeLessThan(1_000_000);
  });

  it('is gone if the statement fails halfway', async () => {
    const failing = stream(
      `SELECT CASE WHEN i = 900_000 THEN error('the rows are gone') ELSE hash(i) END AS hash FROM range(1_000_000) AS rows(i)`,
    );
    await expect(failing.next()).rejects.toThrow('the rows are gone');
    expect(await left()).toEqual([]);
  });

  it('is gone if the client leaves before it is written', async () => {
    const leave = new AbortController();
    const endless = stream('SELECT hash(i) AS hash FROM range(100_000_000_000) AS rows(i)', leave.signal);
    const first = endless.next();
    while ((await left()).length === 0) await new Promise(setImmediate);
    leave.abort();
    await expect(first).rejects.toThrow(/abort/);
    expect(await left()).toEqual([]);
    await expect(stream('SELECT 1', leave.signal).next()).rejects.toThrow(/abort/);
  });
});
