import type { IncomingMessage } from 'node:http';
import { invalid, ServiceError, tooLarge } from '../../domain/shared/errors.ts';

/** A request's body, read as it comes. */
export interface Upload {
  /** Its bytes. Throws `too_large` beyond what is allowed, and `invalid` when it ends early. */
  bytes: () => AsyncGenerator<Buffer>;
  /**
   * Throws away what is left of it, because a client reads no answer before it has sent its body. Throws as `bytes`, and
   * does nothing after that has thrown.
   */
  end: () => Promise<void>;
}

/** The upload in `body`, which is never held in memory. */
export const uploadIn = (body: IncomingMessage, mostBytes: number): Upload => {
  let received = 0;
  let isOver = false;
  const bytes = async function* (): AsyncGenerator<Buffer> {
    try {
      if (Number(body.headers['content-length']) > mostBytes) throw tooLarge(mostBytes);
      for await (const chunk of body.iterator({ destroyOnReturn: false })) {
        received += (chunk as Buffer).length;
        if (received > mostBytes) throw tooLarge(mostBytes);
        yield chunk as Buffer;
      }
      isOver = true;
    } catch (error) {
      isOver = true;
      body.resume();
      if (error instanceof ServiceError || !body.readableAborted) throw error;
      throw invalid('body: expected the whole upload, it ended early');
    }
  };
  const end = async (): Promise<void> => {
    if (isOver) return;
    const rest = bytes();
    while ((await rest.next()).done !== true);
  };
  return { bytes, end };
};
