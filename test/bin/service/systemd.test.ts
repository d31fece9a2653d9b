import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemd } from '../../../bin/service/systemd.ts';
import { lacking } from '../../support/needs.ts';
import { waitFor } from '../../support/service/api-client.ts';
import { newDataDir, removeDataDir } from '../../support/service/service-process.ts';
import { PRODUCT, startProcess } from '../../support/service/node-process.ts';

/** The protocol between the service and systemd, with a socket that stands for systemd's. */
const UNIT = join(PRODUCT, 'deploy/systemd/cost-analytics@.service');

/** Prints each message that arrives at a socket as one line. Node cannot open a socket of this kind. */
const RECEIVER = `
import socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print('listening', flush=True)
while True:
    print(receiver.recv(4096).decode().strip().replace('\\n', ' '), flush=True)
`;

const why = lacking('systemd');

describe.skipIf(why !== '')(`systemd${why}`, () => {
  let folder: string;
  let stop: () => void = () => undefined;
  const received: string[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cost-analytics-systemd-'));
    const receiver = spawn('python3', ['-c', RECEIVER, join(folder, 'socket')]);
    createInterface({ input: receiver.stdout }).on('line', (line) => received.push(line));
    stop = () => receiver.kill();
    await waitFor(async () => received.shift());
  });

  afterAll(async () => {
    stop();
    await rm(folder, { recursive: true, force: true });
  });

  const count = (message: string): number => received.filter((each) => each === message).length;

  it('learns that the service serves, that it lives, and that it ends', async () => {
    const dataDir = await newDataDir();
    const environment = { NOTIFY_SOCKET: join(folder, 'socket'), WATCHDOG_USEC: '600000' };
    const service = await startProcess({ dataDir, environment });
    try {
      await waitFor(async () => (count('WATCHDOG=1') >= 2 ? true : undefined));
      expect(received[0]).toBe(`READY=1 STATUS=ready ${service.url}`);
    } finally {
      expect(await service.stop()).toBe(0);
      await removeDataDir(dataDir);
    }
    // With the barrier, systemd-notify waits until a message has arrived.
    const kinds = new Set(received.filter((message) => message !== 'BARRIER=1').slice(1));
    expect([...kinds]).toEqual(['WATCHDOG=1', 'STOPPING=1']);
    expect(count('STOPPING=1')).toBe(1);
  });

  it('expects the messages that the service sends', async () => {
    const unit = await readFile(UNIT, 'utf8');
    for (const line of ['Type=notify', 'NotifyAccess=all', 'WatchdogSec=3min'])
      expect(unit).toMatch(new RegExp(`^${line}$`, 'm'));
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', UNIT], { encoding: 'utf8' });
    // It also names programs that this machine lacks, such as the service in /opt.
    expect(verified.stderr).not.toMatch(/Unknown|Failed to parse|Invalid/i);
  });
});

describe('without systemd', () => {
  it('nothing is sent, and a missing program is only a warning', async () => {
    const warnings: string[] = [];
    const stream = { write: (line: string) => warnings.push(line) };
    const log = pino({ level: 'warn' }, stream);
    const alone = systemd({ PATH: '/nowhere' }, log);
    await alone.ready('ready');
    await alone.stopping();
    expect(warnings).toEqual([]);
    await systemd({ PATH: '/nowhere', NOTIFY_SOCKET: '/nowhere/socket' }, log).stopping();
    expect(warnings).toMatchObject([expect.stringContaining('systemd cannot be notified')]);
  });
});
