import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import Fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { closeSignal } from '../../../../api/http/files/tabular.ts';
import { WAIT_MS } from '../../../support/patience.ts';

const REQUEST = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

// Without the signal, a request that holds something until then would hold it for ever.
it.each([1, 2, 20])(
  'signals the close of a connection to its %d requests, before and after it',
  async (requests) => {
    const warned = vi.fn();
    process.on('warning', warned);
    const app = Fastify();
    const before: AbortSignal[] = [];
    const after: AbortSignal[] = [];
    app.addHook('onRequest', async (request, reply) => {
      before.push(closeSignal(reply));
      await once(request.raw.socket, 'close');
      after.push(closeSignal(reply));
    });
    app.get('/', () => 'heard by nobody');
    await app.listen({ port: 0, host: '127.0.0.1' });
    const caller: Socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    caller.write(REQUEST.repeat(requests));
    await vi.waitFor(() => {
      expect(before).toHaveLength(requests);
    }, WAIT_MS);
    caller.destroy();
    await vi.waitFor(() => {
      expect(after).toHaveLength(requests);
    }, WAIT_MS);
    for (const signal of [...before, ...after]) expect(signal.aborted).toBe(true);
    await app.close();
    process.off('warning', warned);
    expect(warned).not.toHaveBeenCalled();
  },
);
