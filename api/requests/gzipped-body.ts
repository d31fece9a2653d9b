import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { invalid, ServiceError, tooLarge } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';

/** The names of gzip (RFC 9110, section 8.4.1.3). */
const GZIP: ReadonlySet<string> = new Set(['gzip', 'x-gzip']);

/** Whether the body of a request is gzipped. Throws a 415 for any other encoding, and for several. */
export function isGzipped(headers: IncomingHttpHeaders): boolean {
  const encoding = headers['content-encoding'] ?? 'identity';
  const name = encoding.trim().toLowerCase();
  if (name !== 'identity' && !GZIP.has(name))
    throw new ServiceError(
      'unsupported_type',
      `content-encoding: expected gzip or none, got ${forMessage(encoding)}`,
    );
  return GZIP.has(name);
}

/** What a gzipped body holds. Fastify compares the encoded length with the Content-Length of the request. */
class Unzipped extends Transform {
  /** Bytes of the request so far. */
  receivedEncodedLength = 0;
  /** Bytes that they hold, so far. */
  length = 0;
  readonly #note: (length: number) => void;
  readonly #problem: () => ServiceError | null;

  /** @param problem is asked at the end. */
  constructor(note: (length: number) => void, problem: () => ServiceError | null) {
    super();
    this.#note = note;
    this.#problem = problem;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.length += chunk.length;
    done(null, chunk);
    this.#note(this.length);
  }

  override _flush(done: TransformCallback): void {
    done(this.#problem());
  }
}

const damaged = (): ServiceError => invalid('body: expected gzip, got bytes that are damaged or incomplete');

/**
 * Returns what a gzipped body holds. Zlib unpacks it in the pool of threads, as fast as it is read. It stops beyond `mostBytes`,
 * and whoever reads sees that the limit is passed. The stream fails with a 413 if the gzipped bytes alone pass the limit, and
 * with a 400 if they are damaged, incomplete, or followed by others.
 */
export function gunzipped(raw: IncomingMessage, mostBytes: number): Unzipped {
  const gunzip = createGunzip();
  const body: Unzipped = new Unzipped(
    (length) => {
      if (length > mostBytes) stop();
    },
    () => (gunzip.bytesWritten === body.receivedEncodedLength ? null : damaged()),
  );
  /** Ends the work. The rest of the request is discarded, because many clients read no answer before they have sent it. */
  const stop = (): void => {
    raw.unpipe(gunzip);
    raw.off('data', count);
    raw.off('error', fail);
    raw.off('close', breakOff);
    gunzip.destroy();
    raw.resume();
  };
  const fail = (error: Error): void => {
    stop();
    body.destroy(error);
  };
  const count = (chunk: Buffer): void => {
    body.receivedEncodedLength += chunk.length;
    if (body.receivedEncodedLength > mostBytes) fail(tooLarge(mostBytes));
  };
  const breakOff = (): void => {
    if (!raw.complete) fail(invalid('body: expected the whole body, it ended early'));
  };
  const refuseDamage = async (): Promise<void> => {
    stop();
    // The rest is small if the request names its length. A client that sends without end gets its answer at once.
    if (Number(raw.headers['content-length']) <= mostBytes)
      await finished(raw).catch((broken: unknown) => broken);
    body.destroy(damaged());
  };
  // Whoever reads the body may have left, for example after a 413. The failure of a stream without a listener ends the process.
  body.on('error', () => undefined);
  raw.on('data', count);
  raw.on('error', fail);
  raw.on('close', breakOff);
  gunzip.on('error', () => {
    void refuseDamage();
  });
  raw.pipe(gunzip).pipe(body);
  return body;
}
