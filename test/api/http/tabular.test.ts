import { once } from 'node:events';
import { connect } from 'node:net';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sendTabular } from '../../../api/http/tabular.ts';

/** A stream of rows to a real socket; the service's timers are set forward by hand. */

const MINUTE_MS = 60_000;
/** Turns of the event loop without a change after which nothing moves any more. */
const QUIET_TURNS = 200;

describe('a caller of rows', () => {
  const opened: (() => unknown)[] = [];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const close of opened.splice(0)) await close();
  });

  /** A server of one table, and a socket that has asked for it as CSV. */
  const ask = async (batches: () => AsyncGenerator<{ text: string }[]>) => {
    const app = Fastify({ forceCloseConnections: true });
    const responses: ServerResponse[] = [];
    app.get('/', (_, reply) => {
      responses.push(reply.raw);
      return sendTabular(reply, 'text/csv', { columns: ['text'], numbers: [], batches: batches() });
    });
    opened.push(() => app.close());
    const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const socket = connect(Number(port), '127.0.0.1');
    opened.push(() => socket.destroy());
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    return { socket, responses };
  };

  it('that stalls is cut off after a minute, and its batches end', async () => {
    const seen = { batches: 0, ended: false };
    const { socket, responses } = await ask(async function* () {
      try {
        for (;;) {
          seen.batches += 1;
          await turn();
          yield [{ text: 'x'.repeat(100_000) }];
        }
      } finally {
        seen.ended = true;
      }
    });
    socket.pause();
    // The caller reads nothing: the buffers fill up until no batch is asked for any more.
    for (let quiet = 0, batches = 0; quiet < QUIET_TURNS; quiet += 1) {
      await turn();
      if (seen.batches !== batches || responses[0]?.writableNeedDrain !== true) quiet = 0;
      batches = seen.batches;
    }
    await vi.advanceTimersByTimeAsync(MINUTE_MS - 1);
    expect(seen.ended).toBe(false);
    const [response] = responses;
    if (response === undefined) throw new Error('nothing was answered');
    const closed = once(response, 'close');
    await vi.advanceTimersByTimeAsync(1);
    await closed;
    expect([seen.ended, response.writableFinished]).toEqual([true, false]);
  });

  it('that waits for a slow warehouse is not', async () => {
    let goOn: () => void = () => undefined;
    const waited = new Promise<void>((resume) => (goOn = resume));
    const { socket } = await ask(async function* () {
      yield [{ text: 'first' }];
      await waited;
      yield [{ text: 'second' }];
    });
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    while (!received.includes('first')) await turn();
    await vi.advanceTimersByTimeAsync(3 * MINUTE_MS);
    goOn();
    await once(socket, 'end');
    expect(received).toContain('second');
  });
});
