import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { invalid, ServiceError, tooLarge } from '../../domain/shared/errors.ts';
import { gunzipped, isGzipped } from './gzipped-body.ts';

/** The body of a request, read as it arrives. */
export interface Upload {
  /** The bytes. Throws `too_large` beyond the limit, and `invalid` if the body ends early. */
  bytes: () => AsyncGenerator<Buffer>;
  /**
   * Discards the rest of the body, because a client reads no answer before it has sent everything. Throws like `bytes`, and
   * does nothing once `bytes` has thrown.
   */
  end: () => Promise<void>;
}

/** Returns the upload in `body`, unpacked if it is gzipped. It is never held in memory. */
export function uploadIn(body: IncomingMessage, mostBytes: number): Upload {
  let received = 0;
  let isOver = false;
  let source: Readable | null = null;
  const bytes = async function* (): AsyncGenerator<Buffer> {
    try {
      if (Number(body.headers['content-length']) > mostBytes) throw tooLarge(mostBytes);
      // Only now, so that a body is not read before the route is ready for it.
      source ??= isGzipped(body.headers) ? gunzipped(body, mostBytes) : body;
      for await (const chunk of source.iterator({ destroyOnReturn: false })) {
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
}
