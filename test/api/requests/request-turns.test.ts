import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { serverInTurns } from '../../../api/requests/request-turns.ts';

it('requests that have arrived together start one in a turn of the event loop', async () => {
  let turn = 0;
  let timer = setImmediate(function next() {
    turn += 1;
    timer = setImmediate(next);
  });
  const turns: number[] = [];
  const server = serverInTurns((_request, response) => {
    turns.push(turn);
    response.end();
  }, {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: 10 }, () => connect(port, '127.0.0.1'));
  try {
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const answered = sockets.map((socket) => once(socket, 'data'));
    for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await Promise.all(answered);
  } finally {
    clearImmediate(timer);
    for (const socket of sockets) socket.destroy();
    server.close();
  }
  expect(new Set(turns).size).toBe(10);
});
