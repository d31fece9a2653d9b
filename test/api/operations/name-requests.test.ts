import Fastify from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nameRequests } from '../../../api/operations/name-requests.ts';
import { currentWork } from '../../../telemetry/current-work.ts';

const app = Fastify({ genReqId: () => 'one' });
let url: string;

beforeAll(async () => {
  nameRequests(app);
  app.all('/metrics/:id', async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return currentWork();
  });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

it.each(['GET', 'POST'])('knows the request of what a handler begins (%s)', async (method) => {
  const body = method === 'GET' ? null : new Blob([`"${'x'.repeat(500_000)}"`], { type: 'application/json' });
  const answer = await fetch(`${url}/metrics/met_1`, { method, body });
  expect(await answer.json()).toEqual({ request: 'one', route: `${method} /metrics/:id` });
  expect(currentWork()).toEqual({});
});
