import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../../temporal/dev-server/spawn-dev-server.ts';

/** Azure Blob Storage on this machine, by Microsoft's own emulator, with accounts of its own. */
export interface Azurite {
  /** The base of the service. */
  url: string;
  accounts: readonly string[];
  keyOf: (account: string) => string;
  /** Puts a blob. Makes its container if that is missing. */
  put: (account: string, container: string, name: string, content: Buffer | string) => Promise<void>;
  /** Returns a shared access signature for a whole account: by default it reads and lists for a day. */
  sasOf: (account: string, changes?: { permissions?: string; expires?: Date }) => string;
  /** Gives an account another key, so that signatures of the old one open nothing. */
  changeKey: (account: string) => Promise<void>;
  close: () => Promise<void>;
}

const PROGRAM = createRequire(import.meta.url).resolve('azurite/dist/src/blob/main.js');
const DAY_MS = 86_400_000;
const VERSION = '2021-12-02';

const keyOf = (account: string, number: number): string =>
  createHmac('sha512', 'a key of the tests').update(`${account} ${number}`).digest('base64');

/** Starts the emulator. */
export async function startAzurite(accounts: readonly string[]): Promise<Azurite> {
  const folder = await mkdtemp(join(tmpdir(), 'cost-analytics-azurite-'));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const numbers = new Map(accounts.map((account) => [account, 1]));
  const keyNow = (account: string): string => keyOf(account, numbers.get(account) ?? 0);
  let stop = await start();

  async function start(): Promise<() => Promise<void>> {
    const keys = accounts.map((account) => `${account}:${keyNow(account)}`).join(';');
    const emulator = spawn(
      process.execPath,
      [PROGRAM, '--blobPort', String(port), '--location', folder, '--silent', '--disableTelemetry'],
      { stdio: ['ignore', 'pipe', 'ignore'], env: { ...process.env, AZURITE_ACCOUNTS: keys } },
    );
    const stopWithUs = (): void => {
      emulator.kill();
    };
    process.once('exit', stopWithUs);
    const ended = once(emulator, 'exit').then(() => {
      process.removeListener('exit', stopWithUs);
    });
    await new Promise<void>((listening, reject) => {
      emulator.stdout.on('data', (text: Buffer) => {
        if (text.toString().includes('successfully listens')) listening();
      });
      emulator.once('exit', () => {
        reject(new Error('azurite ended before it listened'));
      });
    });
    return async () => {
      emulator.kill();
      await ended;
    };
  }

  const sasOf: Azurite['sasOf'] = (
    account,
    { permissions = 'rl', expires = new Date(Date.now() + DAY_MS) } = {},
  ) => {
    const [services, types, end] = ['b', 'sco', `${expires.toISOString().slice(0, 19)}Z`];
    const signed = [account, permissions, services, types, '', end, '', '', VERSION, '', ''].join('\n');
    const sig = createHmac('sha256', Buffer.from(keyNow(account), 'base64'))
      .update(signed)
      .digest('base64');
    return new URLSearchParams({
      sv: VERSION,
      ss: services,
      srt: types,
      sp: permissions,
      se: end,
      sig,
    }).toString();
  };

  const send = async (path: string, account: string, content: Buffer | string = ''): Promise<number> => {
    const sas = sasOf(account, { permissions: 'rwdlac' });
    const { status } = await fetch(`${url}/${account}/${path}${path.includes('?') ? '&' : '?'}${sas}`, {
      method: 'PUT',
      headers: { 'x-ms-blob-type': 'BlockBlob', 'x-ms-version': VERSION },
      body: content,
    });
    return status;
  };

  return {
    url,
    accounts,
    keyOf: keyNow,
    sasOf,
    put: async (account, container, name, content) => {
      await send(`${container}?restype=container`, account);
      const path = name.split('/').map(encodeURIComponent).join('/');
      const status = await send(`${container}/${path}`, account, content);
      if (status !== 201) throw new Error(`azurite answered ${status} to a new blob`);
    },
    changeKey: async (account) => {
      await stop();
      numbers.set(account, (numbers.get(account) ?? 0) + 1);
      stop = await start();
    },
    close: async () => {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}
