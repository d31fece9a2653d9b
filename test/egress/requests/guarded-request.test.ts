import dns from 'node:dns';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Outage } from '../../../domain/shared/errors.ts';
import { guardedRequest, type RequestRules } from '../../../egress/requests/guarded-request.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import { newReceiver } from '../../support/fakes/webhook-receiver.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { withOpened } from '../../support/with-opened.ts';

describe('a guarded request', () => {
  const receiver = withOpened(newReceiver);
  let port: string;
  const lookup = vi.spyOn(dns.promises, 'lookup');
  /** Sets the addresses of the name for the next look-ups, in order. */
  const resolvesTo = (...addresses: string[]): void => {
    lookup.mockReset();
    for (const address of addresses) lookup.mockResolvedValueOnce([{ address, family: 4 }] as never);
  };
  const rules = (allowed: string, changes: Partial<RequestRules> = {}): RequestRules => ({
    privateTargets: parsePrivateTargets(allowed),
    timeoutMs: WAIT_MS,
    mostBytes: 10,
    longer: 'cut',
    signal: new AbortController().signal,
    ...changes,
  });
  const urlAt = (host: string): URL => new URL(`http://${host}:${port}/x?token=t`);
  const post = (host: string, allowed = '', changes: Partial<RequestRules> = {}) =>
    guardedRequest(
      urlAt(host),
      { method: 'POST', headers: { 'webhook-id': 'evt_1' }, body: '{"a":1}' },
      rules(allowed, changes),
    );
  const failureOf = async (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => null,
      (failure: unknown) => failure,
    );

  beforeAll(async () => {
    ({ port } = new URL(receiver.url));
  });
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.answer((response) => response.end('twelve bytes'));
  });
  afterAll(async () => {
    lookup.mockRestore();
  });

  it('goes to the checked address, even if the name changes afterwards', async () => {
    resolvesTo('127.0.0.1', '10.0.0.1');
    expect(await post('hook.example', 'hook.example')).toMatchObject({
      status: 200,
      redirectsTo: null,
      text: 'twelve byt',
    });
    expect(lookup).toHaveBeenCalledTimes(1);
    expect(receiver.received).toMatchObject([
      { body: '{"a":1}', headers: { host: `hook.example:${port}`, 'webhook-id': 'evt_1' } },
    ]);
  });

  it('refuses a name that resolves to a private address', async () => {
    resolvesTo('127.0.0.1');
    await expect(post('hook.example')).rejects.toThrow(/PRIVATE_TARGETS/);
    expect(receiver.received).toEqual([]);
  });

  it('does not follow a redirect, and returns only its host', async () => {
    receiver.answer((response) => response.writeHead(307, { location: 'http://10.0.0.1/secret?x=1' }).end());
    expect(await post('127.0.0.1', '127.0.0.1')).toMatchObject({
      status: 307,
      redirectsTo: '10.0.0.1',
      text: '',
    });
    expect(receiver.received).toHaveLength(1);
  });

  it('reads an answer up to the limit, and refuses or cuts a longer one', async () => {
    const refuse = { longer: 'refuse', field: 'location' } as const;
    const twelve = await post('127.0.0.1', '127.0.0.1', { ...refuse, mostBytes: 12 });
    expect(twelve.text).toBe('twelve bytes');
    expect(await failureOf(post('127.0.0.1', '127.0.0.1', { ...refuse, mostBytes: 11 }))).toMatchObject({
      kind: 'invalid',
      message: `location: 127.0.0.1:${port} answered more than 11 bytes to one request`,
    });
    // A cut answer need not end.
    receiver.answer((response) => response.write('ten bytes.'));
    expect((await post('127.0.0.1', '127.0.0.1')).text).toBe('ten bytes.');
  });

  it('sends GET like POST', async () => {
    expect(await guardedRequest(urlAt('127.0.0.1'), {}, rules('127.0.0.1'))).toMatchObject({ status: 200 });
    expect(receiver.received).toMatchObject([{ path: '/x?token=t', body: '' }]);
  });

  it('fails with an outage that names only the host if nobody answers', async () => {
    receiver.answer(() => undefined);
    const failure = await failureOf(post('127.0.0.1', '127.0.0.1', { timeoutMs: 300 }));
    expect(failure).toBeInstanceOf(Outage);
    expect(failure).toMatchObject({ message: `127.0.0.1:${port} did not answer within 0.3 s` });
  });

  it('aborts with the reason of its caller', async () => {
    const caller = new AbortController();
    receiver.answer(() => {
      caller.abort(new Error('given up'));
    });
    const failure = await failureOf(post('127.0.0.1', '127.0.0.1', { signal: caller.signal }));
    expect(failure).not.toBeInstanceOf(Outage);
    expect(failure).toMatchObject({ name: 'AbortError', cause: caller.signal.reason as unknown });
  });

  it.each([
    [
      'changes the protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      10_000,
      'cannot be reached (ECONNRESET)',
    ],
    ['never ends its answer', 'HTTP/1.1 200 OK\r\n\r\nab', 300, 'did not answer within 0.3 s'],
    ['only announces an answer', 'HTTP/1.1 103 Early Hints\r\n\r\n', 300, 'did not answer within 0.3 s'],
  ])('gives up on a host that %s', async (_, bytes, timeoutMs, problem) => {
    receiver.answer(({ socket }) => socket?.write(bytes));
    expect(await failureOf(post('127.0.0.1', '127.0.0.1', { timeoutMs }))).toMatchObject({
      message: `127.0.0.1:${port} ${problem}`,
    });
  });
});
