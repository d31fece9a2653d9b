import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signedRequest } from '../../../../egress/buckets/signed-request.ts';
import { freePort } from '../../../../temporal/dev-server/spawn-dev-server.ts';

const run = promisify(execFile);

/** A server of S3's protocol with users, whose buckets only they can open. It also stands for the S3 form of Google's storage. */
export interface BucketServer {
  url: string;
  /** Makes a user with a bucket of its own. Returns the user's key. */
  newUser: (keyId: string, bucket: string) => Promise<{ keyId: string; secret: string }>;
  deleteUser: (keyId: string) => Promise<void>;
  put: (bucket: string, key: string, content: Buffer | string) => Promise<void>;
  close: () => Promise<void>;
}

const PROGRAM = process.env['VERSITYGW'] ?? '';
const ROOT = ['--access', 'root-of-the-tests', '--secret', 'root-secret-of-the-tests'] as const;
const STORAGE = { keyId: ROOT[1], secret: ROOT[3], sessionToken: null, region: 'us-east-1' };
const PAUSE_MS = 100;

/** Starts the program that `VERSITYGW` names. */
export async function startBucketServer(): Promise<BucketServer> {
  const folder = await mkdtemp(join(tmpdir(), 'cost-analytics-buckets-'));
  const [objects, users] = [join(folder, 'objects'), join(folder, 'users')];
  await mkdir(objects);
  await mkdir(users);
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const words = ['--quiet', ...ROOT, '--port', address, '--iam-dir', users, '--iam-cache-disable'];
  const server = spawn(PROGRAM, [...words, 'posix', objects], { stdio: 'ignore' });
  const stopWithUs = (): void => {
    server.kill();
  };
  process.once('exit', stopWithUs);
  const ended = once(server, 'exit').then(() => {
    process.removeListener('exit', stopWithUs);
  });
  while (
    !(await fetch(url).then(
      () => true,
      () => false,
    ))
  ) {
    if (server.exitCode !== null) throw new Error(`${PROGRAM} ended before it answered`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  const admin = (...command: string[]) =>
    run(PROGRAM, ['admin', ...ROOT, '--endpoint-url', url, ...command]).then(() => undefined);
  const send = async (path: string, content: Buffer | string): Promise<void> => {
    const asked = await signedRequest(`s3://${path}`, { ...STORAGE, endpoint: url }, 'PUT');
    const { status } = await fetch(asked.url, { method: 'PUT', headers: asked.headers, body: content });
    if (status !== 200) throw new Error(`the bucket server answered ${status} to a PUT of ${path}`);
  };
  return {
    url,
    newUser: async (keyId, bucket) => {
      const secret = `secret-of-${keyId}-0123456789`;
      await admin('create-user', '--access', keyId, '--secret', secret, '--role', 'user');
      await send(`${bucket}/`, '');
      await admin('change-bucket-owner', '--bucket', bucket, '--owner', keyId);
      return { keyId, secret };
    },
    deleteUser: (keyId) => admin('delete-user', '--access', keyId),
    put: (bucket, key, content) => send(`${bucket}/${key}`, content),
    close: async () => {
      server.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
