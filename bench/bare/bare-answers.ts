import Fastify from 'fastify';
import { answerParent } from './bare-process.ts';

/** Answers to send, by path, and the key that callers must have. */
export interface BareAnswers {
  secret: string;
  answers: readonly { path: string; body: string }[];
}

// The least work that can answer a read: it looks for the key and the path in two maps, and sends the bytes.
const keys = new Set<unknown>();
const bodies = new Map<string, Buffer>();

const app = Fastify();
app.get('/*', async (request, reply) => {
  const body = bodies.get(request.url);
  if (!keys.has(request.headers['x-api-key']) || body === undefined) return reply.code(404).send();
  return reply.type('application/json; charset=utf-8').send(body);
});
const url = await app.listen({ host: '127.0.0.1', port: 0 });

answerParent(({ secret, answers }: BareAnswers) => {
  keys.add(secret);
  for (const { path, body } of answers) bodies.set(path, Buffer.from(body));
  return Promise.resolve(url);
});
