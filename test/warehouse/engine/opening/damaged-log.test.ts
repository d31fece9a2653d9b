import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Warehouse } from '../../../../warehouse/engine/warehouse.ts';
import { fileSettings, openDuckDb } from '../../../support/warehouse/engines.ts';
import { newOrganisation } from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

/** What a start does with the log (WAL) that a killed process has left. */
describe('the log of a DuckDB file', () => {
  const test = withOpened(openDuckDb);
  let directory: string;
  beforeAll(async () => {
    await test.warehouse.run('CHECKPOINT warehouse');
    for (let index = 0; index < 5; index += 1) await newOrganisation(test.warehouse);
    directory = await mkdtemp(join(tmpdir(), 'cost-analytics-test-'));
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  /** Copies both files as a killed process would leave them. */
  const copied = async (): Promise<{ file: string; log: string }> => {
    const file = fileSettings(directory).location;
    await copyFile(test.settings.location, file);
    await copyFile(`${test.settings.location}.wal`, `${file}.wal`);
    return { file, log: `${file}.wal` };
  };

  it('is replayed if it is sound', async () => {
    const { log } = await copied();
    expect((await stat(log)).size).toBeGreaterThan(100);
    const opened = await Warehouse.open(fileSettings(directory));
    expect(await opened.query('SELECT count(*) AS organisations FROM organisations')).toEqual([
      { organisations: '5' },
    ]);
    opened.close();
  });

  it.each([0.3, 0.5, 0.9])(
    'ends the start with what to do if a bit at %d of it has flipped',
    async (part) => {
      const { file, log } = await copied();
      const bytes = await readFile(log);
      const at = Math.floor(bytes.length * part);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at);
      await writeFile(log, bytes);
      const before = await readFile(file);
      const opening = Warehouse.open(fileSettings(directory));
      await expect(opening).rejects.toThrow(
        `${log}, the log of ${file}, is damaged (entry at byte position `,
      );
      await expect(opening).rejects.toThrow(
        'nothing was changed. Keep a copy of both files, check the disk, then restore the newest backup into a new DATA_DIR',
      );
      expect([await readFile(file), await readFile(log)]).toEqual([before, bytes]);
    },
  );
});
