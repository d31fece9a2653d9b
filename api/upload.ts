import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { invalid, ServiceError, tooLarge } from '../domain/errors.ts';

/**
 * Writes a request's body to a file of its own in `directory`, never holding it in memory, lends the file to `work`, and
 * deletes it in any case; what a killed process leaves goes with the directory, which is the process's own. Throws
 * `too_large` beyond `mostBytes`.
 */
export const receiveUpload = async <Result>(
  body: IncomingMessage,
  directory: string,
  mostBytes: number,
  work: (file: string) => Promise<Result>,
): Promise<Result> => {
  if (Number(body.headers['content-length']) > mostBytes) throw tooLarge(mostBytes);
  const path = join(directory, `upload-${randomUUID()}`);
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
      if (error instanceof ServiceError || !body.readableAborted) throw error;
      throw invalid('body: expected the whole upload, it ended early');
    } finally {
      await file.close();
    }
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
};
