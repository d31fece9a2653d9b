import { cp, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { fixedClock } from '../../../../domain/shared/clock.ts';
import { Metrics } from '../../../../telemetry/metrics.ts';
import { newestBackups } from '../../../../warehouse/engine/backup/backup-log.ts';
import { startBackup } from '../../../../warehouse/engine/backup/run-backup.ts';
import { openDuckDb } from '../../../support/warehouse/engines.ts';
import { withOpened } from '../../../support/with-opened.ts';

/** Copies that `backup --keep` makes and removes. It is 7 February 2026, 06:00. Each test continues the story. */

const NOW = '2026-02-07T06:00:00.000Z';
const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };

const test = withOpened(openDuckDb);
const other = withOpened(openDuckDb);
let to: string;
const metrics = new Metrics();

beforeAll(async () => {
  // The other one was made at another time.
  await other.warehouse.run(`UPDATE schema_migrations SET applied_at = TIMESTAMP '2025-01-01'`);
  to = join(test.directory, 'copies');
});

const start = (
  folder: string,
  keep: number | null,
  { at = NOW, of = test, signal = new AbortController().signal } = {},
) =>
  startBackup(
    { warehouse: of.warehouse, metrics, clock: fixedClock(new Date(at)), log },
    { to: folder, keep, version: '0.1.0', signal },
  );

async function backUp(...args: Parameters<typeof start>): Promise<void> {
  const { ended } = await start(...args);
  await ended;
}

const stored = async (folder = to): Promise<string[]> => (await readdir(folder)).sort();

describe('kept copies', () => {
  it('have the name of their second, and the oldest are removed', async () => {
    for (const at of [NOW, '2026-02-07T06:00:00.900Z', '2026-02-08T06:00:00Z']) await backUp(to, 2, { at });
    // The second copy of a second takes the next one.
    expect(await stored()).toEqual(['2026-02-07T06-00-01Z', '2026-02-08T06-00-00Z']);
    const manifest = await readFile(join(to, '2026-02-07T06-00-01Z/backup.json'), 'utf8');
    expect(JSON.parse(manifest)).toMatchObject({
      kept_as: '2026-02-07T06-00-01Z',
      taken_at: '2026-02-07T06:00:00.900Z',
    });
  });

  it('leave everything else in their folder alone, and do not count it', async () => {
    const newest = join(to, '2026-02-08T06-00-00Z');
    // A copy without --keep, a copy under another name, half a copy, a damaged one, a file, and somebody's own folder.
    await backUp(join(to, '2026-02-01T00-00-00Z'), null);
    await cp(newest, join(to, '2026-02-02T00-00-00Z'), { recursive: true });
    await cp(newest, join(to, 'before the upgrade'), { recursive: true });
    await mkdir(join(to, '2026-02-03T00-00-00Z'));
    await writeFile(join(to, '2026-02-03T00-00-00Z/warehouse.duckdb'), 'half');
    await cp(newest, join(to, '2026-02-04T00-00-00Z'), { recursive: true });
    await writeFile(join(to, '2026-02-04T00-00-00Z/backup.json'), '{');
    await writeFile(join(to, '2026-02-05T00-00-00Z'), 'a file');
    await mkdir(join(to, 'process-00000000-0000-4000-8000-000000000000'));
    // A copy of another warehouse, which keeps only this one.
    await backUp(to, 1, { of: other, at: '2026-02-06T00:00:00Z' });
    const others = (await stored()).filter(
      (name) => !['2026-02-07T06-00-01Z', '2026-02-08T06-00-00Z'].includes(name),
    );
    expect(others).toHaveLength(8);

    await backUp(to, 1, { at: '2026-02-09T06:00:00Z' });
    expect(await stored()).toEqual([...others, '2026-02-09T06-00-00Z'].sort());
  });

  it('stay if somebody has added a file', async () => {
    await writeFile(join(to, '2026-02-09T06-00-00Z/why.txt'), 'before the audit');
    await backUp(to, 1, { at: '2026-02-10T06:00:00Z' });
    expect(await stored()).toEqual(expect.arrayContaining(['2026-02-09T06-00-00Z', '2026-02-10T06-00-00Z']));
  });

  it('never lie half in the folder: the next backup removes what a killed process has left', async () => {
    const dead = 'process-11111111-1111-4111-8111-111111111111';
    await mkdir(join(to, dead, '2026-02-11T06-00-00Z'), { recursive: true });
    await writeFile(join(to, dead, '2026-02-11T06-00-00Z/warehouse.duckdb'), 'half');
    await writeFile(join(to, `${dead}.in-use`), '');
    await backUp(to, 2, { at: '2026-02-12T06:00:00Z' });
    const names = await stored();
    expect(names.filter((name) => name.startsWith('process-'))).toEqual([
      // Nobody has locked it, so it belongs to somebody else.
      'process-00000000-0000-4000-8000-000000000000',
    ]);
    expect(names).toEqual(expect.arrayContaining(['2026-02-10T06-00-00Z', '2026-02-12T06-00-00Z']));
  });

  it('are made one at a time, and a stopped one leaves nothing', async () => {
    const before = await stored();
    const stopping = new AbortController();
    const { ended } = await start(to, 2, { signal: stopping.signal });
    await expect(start(to, 2)).rejects.toThrow('a backup is running: wait until it has ended');
    stopping.abort(new Error('the service was stopped'));
    await expect(ended).rejects.toThrow('the service was stopped');
    expect(await stored()).toEqual(before);
    // A backup that was stopped has no result.
    expect((await newestBackups(test.warehouse)).map(({ isComplete }) => isComplete)).toEqual([true]);
  });

  it('that fail are logged and recorded, also beside a complete one', async () => {
    const folder = join(test.directory, 'later');
    const { ended } = await start(folder, null, { at: '2026-02-13T06:00:00Z' });
    // The folder goes away meanwhile.
    await rename(folder, `${folder}-away`);
    await expect(ended).rejects.toThrow();
    expect(log.error).toHaveBeenCalledWith(expect.objectContaining({ to: folder }), 'the backup failed');
    expect(await newestBackups(test.warehouse)).toEqual([
      {
        takenAt: new Date('2026-02-12T06:00:00Z'),
        endedAt: new Date('2026-02-12T06:00:00Z'),
        isComplete: true,
      },
      {
        takenAt: new Date('2026-02-13T06:00:00Z'),
        endedAt: new Date('2026-02-13T06:00:00Z'),
        isComplete: false,
      },
    ]);
  });
});
