import type { IncomingMessage } from 'node:http';
import { invalid, ServiceError, tooLarge } from '../domain/errors.ts';

const KEPT_OPEN = { destroyOnReturn: false };

/**
 * A request's body as it comes, never held in memory. Whoever stops reading it waits until the rest has come: a client
 * reads no answer before it has sent its body. Throws `too_large` beyond `mostBytes`, and `invalid` when it ends early.
 */
export const uploadedBytes = async function* (
  body: IncomingMessage,
  mostBytes: number,
): AsyncGenerator<Buffer> {
  if (Number(body.headers['content-length']) > mostBytes) throw tooLarge(mostBytes);
  let bytes = 0;
  let isStopped = true;
  try {
    for await (const chunk of body.iterator(KEPT_OPEN)) {
      bytes += (chunk as Buffer).length;
      if (bytes > mostBytes) throw tooLarge(mostBytes);
      yield chunk as Buffer;
    }
    isStopped = false;
  } catch (error) {
    isStopped = false;
    if (error instanceof ServiceError || !body.readableAborted) throw error;
    throw invalid('body: expected the whole upload, it ended early');
  } finally {
    if (isStopped) await throwAway(body, mostBytes - bytes);
    body.resume();
  }
};

const throwAway = async (body: IncomingMessage, mostBytes: number): Promise<void> => {
  let bytes = 0;
  for await (const chunk of body.iterator(KEPT_OPEN)) {
    bytes += (chunk as Buffer).length;
    if (bytes > mostBytes) break;
  }
};
