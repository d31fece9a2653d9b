import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readDevServerRecord } from '../../../temporal/dev-server/dev-server-record.ts';
import {
  startDevServer,
  type DevServer,
  type DevServerOptions,
} from '../../../temporal/dev-server/dev-server.ts';
import { isRunningWith } from '../../../temporal/dev-server/server-process.ts';
import { freePort } from '../../../temporal/dev-server/spawn-dev-server.ts';
import { damageSqlite } from '../../support/fakes/damage-sqlite.ts';
import { startInParentProcess } from './parent-process.ts';
import { someOf, THOROUGH } from '../../support/effort.ts';
import { lacking } from '../../support/needs.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { statOf } from '../../support/service/process-stat.ts';

const why = lacking('temporal');
const cli = process.env['TEST_TEMPORAL_CLI'] ?? '';

describe.skipIf(why !== '')(`startDevServer${why}`, () => {
  let dir: string;
  let dataDir: string;
  let logged: string[];

  beforeEach(async () => {
    // With a space and an umlaut: the path becomes part of a URI.
    dir = await mkdtemp(join(tmpdir(), 'dev server ü-'));
    dataDir = join(dir, 'data');
    logged = [];
  });
  afterEach(async () => {
    const pid = readDevServerRecord(join(dataDir, 'temporal.json'))?.pid;
    if (pid !== undefined && (await isServing(pid))) process.kill(pid, 'SIGKILL');
    await rm(dir, { recursive: true, force: true, maxRetries: 5 });
  });

  const options = (): DevServerOptions => ({
    cli,
    dataDir,
    uiPort: null,
    namespace: 'cost-analytics',
    searchAttributes: { CostMonth: 'Keyword' },
    log: {
      info: (_: unknown, message?: string) => logged.push(message ?? ''),
      warn: (_: unknown, message?: string) => logged.push(message ?? ''),
    },
  });
  const start = (changes: Partial<DevServerOptions> = {}): Promise<DevServer> =>
    startDevServer({ ...options(), ...changes });
  const isServing = (pid: number): Promise<boolean> => isRunningWith(pid, join(dataDir, 'temporal.db'));
  const recordedPid = (): number => {
    const pid = readDevServerRecord(join(dataDir, 'temporal.json'))?.pid;
    if (pid === undefined) throw new Error('no record of a dev server');
    return pid;
  };

  const filesSetAside = async (): Promise<string[]> =>
    (await readdir(dataDir)).filter((name) => name.includes('unreadable')).sort();

  it.runIf(THOROUGH)('keeps its state after a stop', async () => {
    const first = await start();
    const pid = recordedPid();
    await createSchedule(first.address);
    await first.stop();
    await first.stop();
    expect(await first.exited).toBe(0);
    expect(await isServing(pid)).toBe(false);
    expect(readDevServerRecord(join(dataDir, 'temporal.json'))).toBeUndefined();

    const second = await start();
    expect(await scheduleIds(second.address)).toEqual(['monthly']);
    await second.stop();
  });

  it('keeps its state after a SIGKILL, which `exited` reports', async () => {
    const first = await start();
    await createSchedule(first.address);
    process.kill(recordedPid(), 'SIGKILL');
    expect(await first.exited).toBeNull();
    await first.stop();

    const second = await start();
    expect(await scheduleIds(second.address)).toEqual(['monthly']);
    await second.stop();
  });

  it('is taken over if only its parent process was killed', async () => {
    const { parent, address } = await startInParentProcess(options());
    await createSchedule(address);
    const pid = recordedPid();
    expect((await statOf(pid))?.group).toBe(pid);
    parent.kill('SIGKILL');
    await once(parent, 'exit');

    // Another name of the same folder means the same server.
    await symlink(dataDir, join(dir, 'alias'));
    const adopted = await start({ dataDir: join(dir, 'alias') });
    expect(adopted.address).toBe(address);
    expect(logged).toContain('Temporal: took over the server that was left running');
    expect(await scheduleIds(adopted.address)).toEqual(['monthly']);
    await adopted.stop();
    expect(await adopted.exited).toBeNull();
    expect(await isServing(pid)).toBe(false);
    expect(readDevServerRecord(join(dataDir, 'temporal.json'))).toBeUndefined();
  });

  it('serves its web page if it has a port, and starts again for another one', async () => {
    const uiPort = await freePort();
    const { parent, address } = await startInParentProcess({ ...options(), uiPort });
    await createSchedule(address);
    expect(await (await fetch(`http://127.0.0.1:${uiPort}/`)).text()).toContain('<!doctype html>');
    const pid = recordedPid();
    parent.kill('SIGKILL');
    await once(parent, 'exit');

    const adopted = await start({ uiPort });
    expect([adopted.address, recordedPid()]).toEqual([address, pid]);

    // As after a kill: the server runs, and its starter is gone.
    const moved = await start({ uiPort: await freePort() });
    expect(await isServing(pid)).toBe(false);
    expect(logged).toContain('Temporal: the server that was left running starts again, for another web page');
    await expect(fetch(`http://127.0.0.1:${uiPort}/`)).rejects.toThrow();
    expect(await scheduleIds(moved.address)).toEqual(['monthly']);
    await moved.stop();

    const taken = createServer().listen(uiPort, '127.0.0.1');
    await once(taken, 'listening');
    await expect(start({ uiPort })).rejects.toThrow(
      `port ${uiPort} of 127.0.0.1 is taken: stop what listens there, or choose another with TEMPORAL_UI_PORT`,
    );
    taken.close();
  });

  it.runIf(THOROUGH)('starts again if parent process and server were killed at once', async () => {
    const { parent, address } = await startInParentProcess(options());
    await createSchedule(address);
    parent.kill('SIGKILL');
    process.kill(recordedPid(), 'SIGKILL');
    await once(parent, 'exit');

    const again = await start();
    expect(await scheduleIds(again.address)).toEqual(['monthly']);
    await again.stop();
  });

  it.runIf(THOROUGH)('replaces a running server that does not answer', async () => {
    const hanging = await start();
    await createSchedule(hanging.address);
    const pid = recordedPid();
    process.kill(pid, 'SIGSTOP');

    const fresh = await start();
    expect(await isServing(pid)).toBe(false);
    expect(await hanging.exited).toBeNull();
    expect(recordedPid()).not.toBe(pid);
    expect(await scheduleIds(fresh.address)).toEqual(['monthly']);
    await fresh.stop();
  });

  it.runIf(THOROUGH)('adds a namespace and search attributes to an existing database', async () => {
    await (await start()).stop();
    const server = await start({ namespace: 'other', searchAttributes: { CostMonth: 'Keyword' } });
    await server.stop();
    const extended = await start({
      namespace: 'other',
      searchAttributes: { CostMonth: 'Keyword', Rows: 'Int' },
    });
    expect(await customSearchAttributes(extended.address, 'other')).toEqual(['CostMonth', 'Rows']);
    await extended.stop();
    await expect(start({ searchAttributes: { CostMonth: 'Int' } })).rejects.toThrow(
      'search attribute CostMonth is not of type Int',
    );
  });

  it('does not touch another process that has the recorded pid', async () => {
    await (await start()).stop();
    await writeFile(join(dataDir, 'temporal.json'), JSON.stringify({ pid: process.pid, port: 1 }));
    const server = await start();
    expect(recordedPid()).not.toBe(process.pid);
    await server.stop();
  });

  it('shows the end of the log if the server does not start, and keeps the database', async () => {
    const first = await start();
    const database = join(dataDir, 'temporal.db');
    // A second server on the same database fails, although the file is sound.
    await writeFile(join(dataDir, 'temporal.json'), '');
    await expect(start()).rejects.toThrow(/did not start: it ended with exit code 1[^]*database is locked/);
    await first.stop();
    expect(await filesSetAside()).toEqual([]);
    expect(readDevServerRecord(join(dataDir, 'temporal.json'))).toBeUndefined();
    await rename(database, `${database}.kept`);
    await mkdir(database);
    await expect(start()).rejects.toThrow(/did not start/);
    expect(await filesSetAside()).toEqual([]);
    await expect(start({ cli: join(dir, 'nothing') })).rejects.toThrow(/Cannot execute the Temporal CLI/);
  });

  it.runIf(THOROUGH)(
    'starts again if the CLI finds no port for itself, and gives up when it crashes each time',
    async () => {
      const crashes = join(dir, 'crashes');
      const panic = join(dir, 'panic');
      const crashing = join(dir, 'crashing-temporal');
      const stack = Array.from({ length: 20 }, (_, frame) => `main.frame${frame}()\n`).join('');
      await writeFile(
        panic,
        `panic: failed assigning ephemeral port: failed to assign a free port\n\ngoroutine 1 [running]:\n${stack}`,
      );
      // Crashes as Go does while the file has lines, then does what it was asked for.
      const script = [
        '#!/bin/sh',
        `[ -s '${crashes}' ] || exec '${cli}' "$@"`,
        `tail -n +2 '${crashes}' > '${crashes}.left' && mv '${crashes}.left' '${crashes}'`,
        `cat '${panic}' >&2`,
        'exit 2',
      ];
      await writeFile(crashing, script.join('\n'), { mode: 0o755 });
      await writeFile(crashes, 'first\nsecond\n');
      const server = await start({ cli: crashing });
      await createSchedule(server.address);
      await server.stop();
      expect(logged.filter((message) => message.includes('starting again'))).toHaveLength(2);

      await writeFile(crashes, 'first\nsecond\nthird\n');
      await expect(start({ cli: crashing })).rejects.toThrow(
        /exit code 2\nEnd of .*temporal\.log:\n(?:[^]*\n)?panic: failed assigning ephemeral port[^\n]*$/,
      );
      const next = await start({ cli: crashing });
      expect(await scheduleIds(next.address)).toEqual(['monthly']);
      await next.stop();
      expect(await filesSetAside()).toEqual([]);
    },
  );

  /** Expects that a database was set aside, and that the new one keeps its state. */
  const goesOnWithNew = async (server: DevServer): Promise<void> => {
    const setAside = await filesSetAside();
    expect(setAside).not.toEqual([]);
    await createSchedule(server.address);
    await server.stop();
    const next = await start();
    expect(await scheduleIds(next.address)).toEqual(['monthly']);
    await next.stop();
    expect(await filesSetAside()).toEqual(setAside);
  };

  const damages: [string, (whole: Buffer) => Buffer][] = [
    ['is not a database', () => Buffer.from('this is no database '.repeat(1000))],
    ['is empty', () => Buffer.alloc(0)],
    ['has lost its write-ahead log and its tables', (whole) => whole.subarray(0, 4096)],
    ['is torn', (whole) => whole.subarray(0, 1000)],
    // The first page is no longer a page of a table.
    ['is malformed', (whole) => Buffer.from(whole).fill(0xff, 100, 4096)],
  ];
  it.each(someOf(damages, 1))(
    'sets a database aside that %s, and creates a new one',
    async (_what, damage) => {
      const first = await start();
      await createSchedule(first.address);
      await first.stop();
      const database = join(dataDir, 'temporal.db');
      const damaged = damage(await readFile(database));
      await rm(`${database}-wal`, { force: true });
      await writeFile(database, damaged);

      const second = await start();
      const setAside = await filesSetAside();
      const [aside = ''] = setAside;
      expect(aside).toMatch(/^temporal\.db\.unreadable-\d{4}-\d\d-\d\dT/);
      // SQLite's files beside a database go with it.
      expect(setAside.filter((name) => !name.startsWith(aside))).toEqual([]);
      const kept = await readFile(join(dataDir, aside));
      expect(kept.subarray(0, damaged.length)).toEqual(damaged);
      const said = logged.filter((message) => message.includes('set aside'));
      expect(said).toEqual([
        'Temporal: its database cannot be read and was set aside; starting with a new one',
      ]);
      await expect(scheduleIds(second.address)).rejects.toThrow();
      await goesOnWithNew(second);
    },
  );

  it.runIf(THOROUGH)('sets a database aside with a damaged table before the server is ready', async () => {
    const first = await start();
    await createSchedule(first.address);
    await first.stop();
    await damageSqlite(join(dataDir, 'temporal.db'), 'executions');

    const second = await start();
    expect(logged.filter((message) => message.includes('set aside'))).toHaveLength(1);
    await goesOnWithNew(second);
  });

  /** Causes damage that only a new workflow meets, not a start. */
  const damageForLater = async (): Promise<void> => {
    await (await start()).stop();
    await damageSqlite(join(dataDir, 'temporal.db'), 'by_workflow_id', 'executions_visibility');
  };

  it.runIf(THOROUGH)('reports later damage, and sets the database aside at the next start', async () => {
    await damageForLater();
    const damaged = await start();
    expect(await filesSetAside()).toEqual([]);
    await createSchedule(damaged.address);
    expect(await damaged.damaged).toBe('database disk image is malformed (11)');
    await damaged.stop();
    expect(await filesSetAside()).toEqual([]);

    await goesOnWithNew(await start());
  });

  it.runIf(THOROUGH)('replaces a running server whose database is damaged', async () => {
    await damageForLater();
    const { parent, address } = await startInParentProcess(options());
    parent.kill('SIGSTOP');
    const pid = recordedPid();
    await createSchedule(address);
    while (!(await readFile(join(dataDir, 'temporal.log'), 'utf8')).includes('is malformed (11)'))
      await new Promise((resume) => setTimeout(resume, 50));
    parent.kill('SIGKILL');
    await once(parent, 'exit');

    const fresh = await start();
    expect(recordedPid()).not.toBe(pid);
    expect(await filesSetAside()).not.toEqual([]);
    await createSchedule(fresh.address);
    expect(await scheduleIds(fresh.address)).toEqual(['monthly']);
    await fresh.stop();
  });

  it.runIf(THOROUGH)('discards a database whose server never answered', async () => {
    await (await start()).stop();
    const database = join(dataDir, 'temporal.db');
    await writeFile(database, (await readFile(database)).subarray(0, 4096));
    await rm(`${database}-wal`, { force: true });
    await writeFile(`${database}.unfinished`, '');
    await (await start()).stop();
    await (await start()).stop();
    expect(await filesSetAside()).toEqual([]);
  });

  it('refuses a path that SQLite would read differently', async () => {
    await expect(start({ dataDir: join(dir, '100%') })).rejects.toThrow('must not contain');
  });
});

async function withConnection<T>(address: string, use: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  // A call without a deadline can wait for ever, and then the test does not say for what.
  return connection
    .withDeadline(Date.now() + WAIT_MS, () => use(connection))
    .finally(() => connection.close());
}

const withClient = async <T>(address: string, use: (client: Client) => Promise<T>): Promise<T> =>
  withConnection(address, (connection) => use(new Client({ connection, namespace: 'cost-analytics' })));

async function createSchedule(address: string): Promise<void> {
  await withClient(address, async ({ schedule }) => {
    await schedule.create({
      scheduleId: 'monthly',
      spec: { intervals: [{ every: '30 days' }] },
      action: { type: 'startWorkflow', workflowType: 'none', taskQueue: 'none' },
    });
  });
}

/** Uses descriptions, because the list of schedules is only eventually consistent. */
const scheduleIds = async (address: string): Promise<string[]> =>
  withClient(address, async ({ schedule }) => [(await schedule.getHandle('monthly').describe()).scheduleId]);

const customSearchAttributes = async (address: string, namespace: string): Promise<string[]> =>
  withConnection(address, async ({ operatorService }) => {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
    return Object.keys(customAttributes).sort();
  });
