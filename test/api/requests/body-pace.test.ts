import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { answerErrors } from '../../../api/http/error-answers.ts';
import { limitBodies } from '../../../api/requests/body-pace.ts';
import { openRaw } from '../../support/service/local-api.ts';
import { WAIT_MS } from '../../support/patience.ts';

const PATIENCE_MS = 50;

it('a client gets its answer if the service takes longer than the client may, before it reads the body', async () => {
  const app = Fastify();
  answerErrors(app, () => Promise.resolve('ok'));
  limitBodies(app, PATIENCE_MS);
  app.addHook('onRequest', async ({ raw }) => {
    await vi.waitUntil(() => raw.complete, WAIT_MS);
  });
  app.post('/', (request) => request.body);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  const body = JSON.stringify({ sent: 'slowly' });
  const headers = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n`;
  const { socket, answer } = openRaw(port, `${headers}Content-Length: ${body.length}\r\n\r\n`);
  // The client is slower than it may be, and the service begins to read only afterwards.
  for (const byte of Array.from(body)) {
    await sleep(PATIENCE_MS);
    socket.write(byte);
  }
  const text = await answer;
  await app.close();
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text.endsWith(body)).toBe(true);
});
