import { spawn } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Outage } from '../../../domain/shared/errors.ts';
import type { InstanceOptions } from '../../../warehouse/engine/open-instance.ts';
import { Reader } from '../../../warehouse/engine/readers/reader.ts';
import { deepParquet } from '../../support/exports/deep-parquet.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { childrenOf } from '../../support/service/process-stat.ts';

let folder: string;
let options: InstanceOptions;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reader-'));
  options = { spillDirectory: join(folder, 'spill'), memoryLimit: '200MB', threads: 1 };
});
afterAll(() => rm(folder, { recursive: true }));

const answers = async (reader: Reader): Promise<unknown> =>
  reader.query('SELECT 1.10::DECIMAL(38,2) AS money, $texts AS texts', { texts: ['a', 'b'] });
const ANSWERED = [{ money: '1.10', texts: ['a', 'b'] }];

/** Returns the ids of the reader processes of a process. */
const readersOf = (parent: number): Promise<number[]> => childrenOf(parent, 'reader-process');

describe('a reader', () => {
  it('runs statements like a session, and leaves nothing for the next reader in its process', async () => {
    const reader = await Reader.open(options);
    await reader.run('CREATE TEMP TABLE texts (a VARCHAR, b VARCHAR)');
    await reader.append('texts', [
      ['x', null],
      ['y', 'z'],
    ]);
    expect(await reader.query('FROM texts')).toEqual([
      { a: 'x', b: 'y' },
      { a: null, b: 'z' },
    ]);
    await expect(reader.run('SELECT nothing')).rejects.toThrow(/^Binder Error: /);
    expect(await answers(reader)).toEqual(ANSWERED);
    const processes = await readersOf(process.pid);
    await reader.close();
    const next = await Reader.open(options);
    expect(await readersOf(process.pid)).toEqual(processes);
    await expect(next.query('FROM texts')).rejects.toThrow('does not exist');
    await next.close();
  });

  it('fails if a file crashes its process, and other readers go on', async () => {
    const file = join(folder, 'deep.parquet');
    await writeFile(file, deepParquet(50_000));
    const [reader, other] = await Promise.all([Reader.open(options), Reader.open(options)]);
    await expect(reader.query('FROM read_parquet($file)', { file })).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringMatching(/^DuckDB crashed on the files.*nothing was loaded$/) as string,
    });
    expect(reader.isLost).toBe(true);
    await expect(reader.run('SELECT 1')).rejects.toThrow('DuckDB crashed');
    expect(await answers(other)).toEqual(ANSWERED);
    await reader.close();
    await other.close();
    const next = await Reader.open(options);
    expect(await answers(next)).toEqual(ANSWERED);
    await next.close();
  });

  it('fails with an outage, which is retried, if its process is killed from outside', async () => {
    const reader = await Reader.open(options);
    const counting = reader.query('SELECT count(*) FROM range(1_000_000_000_000)');
    // Idle processes of earlier files may be among them.
    for (const pid of await readersOf(process.pid)) process.kill(pid, 'SIGKILL');
    await expect(counting).rejects.toBeInstanceOf(Outage);
    await reader.close();
  });

  it('ends an interrupted statement, even one that ignores the interrupt', async () => {
    const reader = await Reader.open(options);
    const counting = reader.query('SELECT count(*) FROM range(1_000_000_000_000)');
    reader.interrupt();
    await expect(counting).rejects.toThrow('Interrupted');
    expect(await answers(reader)).toEqual(ANSWERED);

    const names = join(folder, 'names');
    await mkdir(names);
    await writeFile(join(names, `${'a'.repeat(240)}.csv`), '');
    const pattern = join(names, `${'*a'.repeat(12)}*b`);
    // An interrupt before DuckDB lists the files is not ignored, so the next one tries again.
    await vi.waitFor(async () => {
      const listing = reader.query('FROM glob($pattern)', { pattern });
      reader.interrupt();
      await expect(listing).rejects.toThrow('was aborted');
    }, WAIT_MS);
    await reader.close();
  });

  it('ends with its parent process', async () => {
    const program = `
      import { Reader } from ${JSON.stringify(join(import.meta.dirname, '../../../dist/warehouse/engine/readers/reader.js'))};
      const reader = await Reader.open(${JSON.stringify(options)});
      await reader.query('SELECT count(*) FROM range(1_000_000_000_000)');`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
    const readers = await vi.waitUntil(async () => {
      const found = await readersOf(parent.pid ?? 0);
      return found.length > 0 && found;
    }, WAIT_MS);
    parent.kill('SIGKILL');
    for (const pid of readers)
      await vi.waitFor(() => expect(access(`/proc/${pid}`)).rejects.toThrow('ENOENT'), WAIT_MS);
  });
});
