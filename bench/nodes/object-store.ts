import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../temporal/dev-server/spawn-dev-server.ts';

/** A real S3 server whose objects are files in a folder. */
export interface ObjectStore {
  url: string;
  pid: number;
  /** The settings with which the product reaches its bucket. */
  environment: Record<string, string>;
  stop: () => Promise<void>;
}

/** The program of the S3 server (`scripts/fetch-versitygw.sh`), or null. */
export const VERSITYGW = process.env['VERSITYGW'] ?? null;

const BUCKET = 'lake';
const KEY_ID = 'test-key';
const SECRET = 'test-secret';
const PAUSE_MS = 100;

/** Starts `versitygw`, which `VERSITYGW` names, on a folder. */
export async function startObjectStore(folder: string): Promise<ObjectStore> {
  if (VERSITYGW === null) throw new Error('VERSITYGW is not set');
  await mkdir(join(folder, BUCKET), { recursive: true });
  const address = `127.0.0.1:${await freePort()}`;
  const keys = ['--access', KEY_ID, '--secret', SECRET];
  const words = ['--quiet', '--keep-alive', ...keys, '--port', address, 'posix', folder];
  const gateway = spawn(VERSITYGW, words, { stdio: 'ignore' });
  const { pid } = gateway;
  if (pid === undefined) throw new Error(`cannot execute ${VERSITYGW}`);
  const stopWithUs = (): void => {
    gateway.kill();
  };
  process.once('exit', stopWithUs);
  const ended = once(gateway, 'exit').then(() => {
    process.removeListener('exit', stopWithUs);
  });
  const url = `http://${address}`;
  const answers = (): Promise<boolean> =>
    fetch(url).then(
      () => true,
      () => false,
    );
  while (!(await answers())) {
    if (gateway.exitCode !== null) throw new Error(`${VERSITYGW} ended before it answered`);
    await sleep(PAUSE_MS);
  }
  return {
    url,
    pid,
    environment: {
      WAREHOUSE_DATA: `s3://${BUCKET}/warehouse`,
      AWS_ENDPOINT_URL_S3: url,
      AWS_ACCESS_KEY_ID: KEY_ID,
      AWS_SECRET_ACCESS_KEY: SECRET,
      AWS_REGION: 'us-east-1',
    },
    stop: async () => {
      gateway.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
