import { once } from 'node:events';
import { connect } from 'node:net';
import type { ServerResponse } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sendTabular } from '../../../../api/http/files/tabular.ts';

/** Streams rows to a real socket. The tests advance the service's timers themselves. */

const MINUTE_MS = 60_000;
/** Turns of the event loop without a change, after which the stream has stalled. */
const QUIET_TURNS = 200;

describe('a client of a row stream', () => {
  const opened: (() => unknown)[] = [];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(async () => {
    vi.useRealTimers();
    for (const close of opened.splice(0)) await close();
  });

  /** Starts a server of one table, and requests the table as CSV over a socket. */
  const ask = async (batches: () => AsyncGenerator<{ text: string }[]>) => {
    const app = Fastify({ forceCloseConnections: true });
    const responses: ServerResponse[] = [];
    app.get('/', (_, reply) => {
      responses.push(reply.raw);
      return sendTabular(reply, 'text/csv', 'texts', { columns: { text: 'VARCHAR' }, batches: batches() });
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

  it('loses its connection once nothing is read for too long, and its batches end', async () => {
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
    // The client reads nothing, so that the buffers fill up until the service requests no further batch.
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
    // What lies in the buffers counts as read, at 4 KiB a second.
    await vi.advanceTimersByTimeAsync(120 * MINUTE_MS);
    await closed;
    expect([seen.ended, response.writableFinished]).toEqual([true, false]);
  });

  it('keeps its connection while the warehouse is slow', async () => {
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
