import dns from 'node:dns';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { guardedPost } from '../../../egress/requests/guarded-post.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import { newReceiver, type WebhookReceiver } from '../../support/fakes/webhook-receiver.ts';

describe('a guarded POST', () => {
  let receiver: WebhookReceiver;
  let port: string;
  const lookup = vi.spyOn(dns.promises, 'lookup');
  /** What the name resolves to, look after look. */
  const resolvesTo = (...addresses: string[]): void => {
    lookup.mockReset();
    for (const address of addresses) lookup.mockResolvedValueOnce([{ address, family: 4 }] as never);
  };
  const post = (host: string, allowed = '') =>
    guardedPost(new URL(`http://${host}:${port}/x?token=t`), '{"a":1}', {
      privateTargets: parsePrivateTargets(allowed),
      headers: { 'webhook-id': 'evt_1' },
      timeoutMs: 300,
      mostBytes: 10,
      signal: new AbortController().signal,
    });

  beforeAll(async () => {
    receiver = await newReceiver();
    ({ port } = new URL(receiver.url));
  });
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.answer((response) => response.end('twelve bytes'));
  });
  afterAll(async () => {
    lookup.mockRestore();
    await receiver.close();
  });

  it('goes to the address that was judged, whatever the name says a moment later', async () => {
    resolvesTo('127.0.0.1', '10.0.0.1');
    expect(await post('hook.example', 'hook.example')).toEqual({
      status: 200,
      redirectsTo: null,
      text: 'twelve byt',
    });
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(receiver.received).toMatchObject([
      { body: '{"a":1}', headers: { host: `hook.example:${port}`, 'webhook-id': 'evt_1' } },
    ]);
  });

  it('refuses a name once it resolves to a private address', async () => {
    resolvesTo('127.0.0.1');
    await expect(post('hook.example')).rejects.toThrow(/PRIVATE_TARGETS/);
    expect(receiver.received).toEqual([]);
  });

  it('does not follow a redirect, and tells its host only', async () => {
    receiver.answer((response) => response.writeHead(307, { location: 'http://10.0.0.1/secret?x=1' }).end());
    expect(await post('127.0.0.1', '127.0.0.1')).toEqual({ status: 307, redirectsTo: '10.0.0.1', text: '' });
    expect(receiver.received).toHaveLength(1);
  });

  it('says that nobody answers without telling more than the host', async () => {
    receiver.answer(() => undefined);
    const error = await post('127.0.0.1', '127.0.0.1').catch((failure: unknown) => failure);
    expect(String(error)).toBe(`Error: 127.0.0.1:${port} did not answer within 0.3 s`);
  });

  it.each([
    [
      'changes the protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'cannot be reached (ECONNRESET)',
    ],
    ['never ends its answer', 'HTTP/1.1 200 OK\r\n\r\nab', 'did not answer within 0.3 s'],
    ['only announces an answer', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'did not answer within 0.3 s'],
  ])('gives a host up that %s', async (_, bytes, problem) => {
    receiver.answer(({ socket }) => socket?.write(bytes));
    const error = await post('127.0.0.1', '127.0.0.1').catch((failure: unknown) => failure);
    expect(String(error)).toBe(`Error: 127.0.0.1:${port} ${problem}`);
  });
});
