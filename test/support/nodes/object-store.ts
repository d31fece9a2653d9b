import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../../../temporal/dev-server/spawn-dev-server.ts';
import { waitFor } from '../service/api-client.ts';
import { forward } from './balancer.ts';

/** A real S3 server whose objects are files in a folder. */
export interface ObjectStore {
  /** The settings with which the product reaches its bucket. */
  environment: Record<string, string>;
  /** While it is away, it answers every request with a 503, as a busy store does. */
  setAway: (isAway: boolean) => void;
  /** Returns how many requests it has refused so. */
  refused: () => number;
  stop: () => Promise<void>;
}

const BUCKET = 'lake';
const KEY_ID = 'test-key';
const SECRET = 'test-secret';

/** Starts `versitygw`, which `VERSITYGW` names, on a folder. */
export const startObjectStore = async (folder: string): Promise<ObjectStore> => {
  const program = process.env['VERSITYGW'];
  if (program === undefined) throw new Error('VERSITYGW is not set');
  await mkdir(join(folder, BUCKET), { recursive: true });
  const port = await freePort();
  const gateway = spawn(
    program,
    [
      '--quiet',
      '--keep-alive',
      '--access',
      KEY_ID,
      '--secret',
      SECRET,
      '--port',
      `127.0.0.1:${port}`,
      'posix',
      folder,
    ],
    { stdio: 'ignore' },
  );
  const ended = once(gateway, 'exit');
  await waitFor(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    return answer === undefined ? undefined : true;
  });
  let isAway = false;
  let refused = 0;
  const front = createServer((incoming, outgoing) => {
    if (isAway) {
      refused += 1;
      outgoing.writeHead(503, { 'content-type': 'application/xml' }).end(BUSY);
    } else forward(incoming, outgoing, `http://127.0.0.1:${port}`);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    environment: {
      WAREHOUSE_DATA: `s3://${BUCKET}/warehouse`,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
      AWS_ACCESS_KEY_ID: KEY_ID,
      AWS_SECRET_ACCESS_KEY: SECRET,
      AWS_REGION: 'us-east-1',
    },
    setAway: (away) => {
      isAway = away;
    },
    refused: () => refused,
    stop: async () => {
      front.close();
      front.closeAllConnections();
      gateway.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const BUSY = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code></Error>';
