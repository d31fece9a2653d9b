import { randomUUID } from 'node:crypto';
import { open, readdir, rm, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { invalid, ServiceError } from '../domain/errors.ts';

const PREFIX = 'upload-';

/** An upload that is older was left by a process that was killed. */
const LONGEST_USE_MS = 3_600_000;

/**
 * Writes a request's body to a file of its own in `directory`, never holding it in memory, lends the file to `work`, and
 * deletes it in any case. Throws `too_large` beyond `mostBytes`.
 */
export const receiveUpload = async <Result>(
  body: IncomingMessage,
  directory: string,
  mostBytes: number,
  work: (file: string) => Promise<Result>,
): Promise<Result> => {
  if (Number(body.headers['content-length']) > mostBytes) throw tooLarge(mostBytes);
  await removeAbandoned(directory);
  const path = join(directory, `${PREFIX}${randomUUID()}`);
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      let bytes = 0;
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        bytes += (chunk as Buffer).length;
        if (bytes > mostBytes) throw tooLarge(mostBytes);
        await file.write(chunk as Buffer);
      }
    } catch (error) {
      // The answer can only be read by a client that gets rid of the rest of its body.
      body.resume();
      throw body.readableAborted ? invalid('body: expected the whole upload, it ended early') : error;
    } finally {
      await file.close();
    }
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
};

const tooLarge = (mostBytes: number): ServiceError =>
  new ServiceError('too_large', `body: too large, expected at most ${mostBytes / 2 ** 20} MiB`);

const removeAbandoned = async (directory: string): Promise<void> => {
  for (const name of await readdir(directory)) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(directory, name);
    const found = await stat(path).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > LONGEST_USE_MS) await rm(path, { force: true });
  }
};
