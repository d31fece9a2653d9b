import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectData } from '../../support/service/envelope.ts';
import { as } from '../../support/service/api-client.ts';
import { startLocalApi, type LocalApi } from '../../support/service/local-api.ts';
import { WAIT_MS } from '../../support/patience.ts';

/** A service with five connections. */
const MOST = 5;
let api: LocalApi;
let secret: string;
let sockets: Socket[];

beforeEach(async () => {
  api = await startLocalApi({ mostConnections: MOST });
  ({ secret } = await api.newTenant());
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await api.close();
});

/** Opens a connection, and sends the text of a request on it. Resolves once its answer begins. */
async function opened(request = ''): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: api.port });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  if (request !== '') {
    socket.write(request);
    await once(socket, 'data');
  }
  return socket;
}
const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const withKey = (): string => get('/api/v1/organisation', `X-API-Key: ${secret}\r\n`);

/** Waits until the service has closed exactly these connections. */
const expectClosed = (closed: Socket[]): Promise<void> =>
  vi.waitFor(() => {
    expect(sockets.map(({ destroyed, readableEnded }) => destroyed || readableEnded)).toEqual(
      sockets.map((socket) => closed.includes(socket)),
    );
  }, WAIT_MS);

describe('at the limit of connections', () => {
  it('the stranger who has been idle for longest makes place', async () => {
    const [first, second] = [await opened(), await opened(get('/livez'))];
    for (let more = 2; more < MOST; more += 1) await opened();
    await expectClosed([]);
    await opened();
    await expectClosed([first]);
    await opened();
    await expectClosed([first, second]);
  });

  it('a caller with a key keeps the connection, however many strangers come', async () => {
    const caller = await opened(withKey());
    for (let stranger = 0; stranger < 20; stranger += 1) await opened();
    expect(caller.destroyed).toBe(false);
    caller.write(withKey());
    await once(caller, 'data');
    // And a new caller finds a place.
    expectData(await as(api, secret).get('/organisation'));
  });

  it('a caller who is idle makes place for a stranger only if there is no other stranger', async () => {
    const callers: Socket[] = [];
    for (let each = 0; each < MOST; each += 1) callers.push(await opened(withKey()));
    const stranger = await opened();
    await expectClosed(callers.slice(0, 1));
    await opened();
    await expectClosed([...callers.slice(0, 1), stranger]);
  });
});
