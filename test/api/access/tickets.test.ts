import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { TICKET_HEADER, Tickets } from '../../../api/access/tickets.ts';

/** Tickets of requests that the service sends to itself. */
const tickets = new Tickets<string>();
const app = Fastify();
app.get('/', (request) => ({ held: tickets.redeem(request) }));

const redeemed = async (ticket: string): Promise<unknown> =>
  (await app.inject({ url: '/', headers: { [TICKET_HEADER]: ticket } })).json<{ held: unknown }>().held;

it('a ticket works once, and is void after its request', async () => {
  let unused = '';
  const answers = await tickets.during('first', async (ticket) => [
    await redeemed(`${ticket.slice(0, -1)}!`),
    await redeemed(ticket),
    await redeemed(ticket),
  ]);
  expect(answers).toEqual([null, 'first', null]);
  await tickets.during('second', async (ticket) => {
    unused = ticket;
  });
  expect(unused).toHaveLength(43);
  expect(await redeemed(unused)).toBeNull();
  expect(await redeemed('')).toBeNull();
  await app.close();
});
