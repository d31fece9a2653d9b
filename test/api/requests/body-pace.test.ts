import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { answerErrors } from '../../../api/http/error-answers.ts';
import { limitBodies } from '../../../api/requests/body-pace.ts';
import { openRaw } from '../../support/service/local-api.ts';

const PATIENCE_MS = 50;

it('a client gets its answer if the service takes longer than the client may, before it reads the body', async () => {
  const app = Fastify();
  answerErrors(app);
  limitBodies(app, PATIENCE_MS);
  let mayGoOn = (): void => undefined;
  const decided = new Promise<void>((resolve) => (mayGoOn = resolve));
  app.addHook('onRequest', () => decided);
  app.post('/', (request) => request.body);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  const body = JSON.stringify({ sent: 'slowly' });
  const headers = `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n`;
  const { socket, answer } = openRaw(port, `${headers}Content-Length: ${body.length}\r\n\r\n`);
  // The client is slower than it may be, and so is the service.
  const bytes = Array.from(body).values();
  await new Promise<void>((sent) => {
    const timer = setInterval(() => {
      const { value, done } = bytes.next();
      if (done !== true) socket.write(value);
      else {
        clearInterval(timer);
        sent();
      }
    }, PATIENCE_MS);
  });
  mayGoOn();
  const text = await answer;
  await app.close();
  expect(text).toMatch(/^HTTP\/1\.1 200 /);
  expect(text.endsWith(body)).toBe(true);
});
