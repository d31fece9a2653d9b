import dns from 'node:dns';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  startGuardedProxy,
  type GuardedProxy,
  type ProxyLog,
} from '../../../egress/requests/guarded-proxy.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function startProxy(targets: string, log?: ProxyLog): Promise<GuardedProxy> {
  const proxy = await startGuardedProxy(parsePrivateTargets(targets), log);
  closers.push(() => proxy.close());
  return proxy;
}

async function startTarget(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  host = '127.0.0.1',
  port = 0,
): Promise<number> {
  const server = http.createServer(handler).listen(port, host);
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

const authorization = ({ username, password }: { username: string; password: string }) => ({
  'proxy-authorization': `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
});

/** Sends a request in the form that a client sends to a forward proxy. */
async function send(
  proxy: GuardedProxy,
  url: string,
  headers: Record<string, string> = authorization(proxy),
) {
  const { host, port } = proxy;
  const request = http.request({ host, port, path: url, headers, agent: false }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

async function connect(proxy: GuardedProxy, target: string, headers = authorization(proxy)) {
  const { host, port } = proxy;
  const request = http.request({ host, port, method: 'CONNECT', path: target, headers, agent: false }).end();
  const [response, socket, head] = (await once(request, 'connect')) as [IncomingMessage, net.Socket, Buffer];
  socket.unshift(head);
  closers.push(() => Promise.resolve(socket.destroy()));
  return { response, socket };
}

const answer = (name: string) => (_request: IncomingMessage, response: ServerResponse) => {
  response.end(name);
};

describe('guarded proxy, plain HTTP', () => {
  it('forwards to a listed host, with its query and without the password', async () => {
    const proxy = await startProxy('localhost');
    const port = await startTarget((request, response) => {
      response.end(`${request.url ?? ''} ${request.headers['proxy-authorization'] ?? 'no password'}`);
    });
    const response = await send(proxy, `http://localhost:${port}/a.csv?x=1`);
    expect(response.statusCode).toBe(200);
    expect(await text(response)).toBe('/a.csv?x=1 no password');
    expect(proxy.url).toBe(`http://127.0.0.1:${proxy.port}`);
  });

  it.each(['localhost', '127.0.0.1', '[::ffff:127.0.0.1]', '0x7f000001', '169.254.169.254'])(
    'refuses %s, names PRIVATE_TARGETS and logs it',
    async (host) => {
      const log = { warn: vi.fn() };
      const proxy = await startProxy('', log);
      const port = await startTarget(answer('reached'));
      const response = await send(proxy, `http://${host}:${port}/`);
      expect(response.statusCode).toBe(403);
      expect(await text(response)).toContain('allow it with PRIVATE_TARGETS');
      expect(log.warn).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({ port, reason: expect.stringContaining('PRIVATE_TARGETS') as string }),
        'egress refused',
      );
    },
  );

  it('refuses the hop of a redirect that leads to a private address', async () => {
    const proxy = await startProxy('127.0.0.1');
    const hidden = await startTarget(answer('reached'), '127.0.0.2');
    const open = await startTarget((_request, response) => {
      response.writeHead(302, { location: `http://127.0.0.2:${hidden}/` }).end();
    });
    const first = await send(proxy, `http://127.0.0.1:${open}/`);
    expect(first.statusCode).toBe(302);
    const second = await send(proxy, first.headers.location ?? '');
    expect(second.statusCode).toBe(403);
    expect(await text(second)).toContain('"127.0.0.2"');
  });

  it('connects to the address that it checked, not to a later answer', async () => {
    const proxy = await startProxy('127.0.0.1');
    const port = await startTarget(answer('the checked one'));
    const lookup = vi
      .spyOn(dns.promises, 'lookup')
      .mockImplementation((() =>
        Promise.resolve([{ address: '127.0.0.1', family: 4 }])) as unknown as typeof dns.promises.lookup);
    // The name exists only in the first answer: a second look-up, by the real resolver, would fail.
    const response = await send(proxy, `http://rebind.invalid:${port}/`);
    expect(await text(response)).toBe('the checked one');
    expect(lookup).toHaveBeenCalledTimes(1);
  });

  it('checks a name again for each request', async () => {
    const proxy = await startProxy('127.0.0.1');
    const port = await startTarget(answer('once'));
    const answers = ['127.0.0.1', '127.0.0.2'];
    vi.spyOn(dns.promises, 'lookup').mockImplementation((() =>
      Promise.resolve([{ address: answers.shift(), family: 4 }])) as unknown as typeof dns.promises.lookup);
    expect(await text(await send(proxy, `http://rebind.invalid:${port}/`))).toBe('once');
    expect((await send(proxy, `http://rebind.invalid:${port}/`)).statusCode).toBe(403);
  });

  it('does not reuse a connection to an address that was checked before', async () => {
    const proxy = await startProxy('127.0.0.0/8');
    const port = await startTarget(answer('before'));
    await startTarget(answer('now'), '127.0.0.2', port);
    const answers = ['127.0.0.1', '127.0.0.2'];
    vi.spyOn(dns.promises, 'lookup').mockImplementation((() =>
      Promise.resolve([{ address: answers.shift(), family: 4 }])) as unknown as typeof dns.promises.lookup);
    expect(await text(await send(proxy, `http://moved.invalid:${port}/`))).toBe('before');
    expect(await text(await send(proxy, `http://moved.invalid:${port}/`))).toBe('now');
  });

  it('streams a body of unknown size', async () => {
    const proxy = await startProxy('127.0.0.1');
    let answering: ServerResponse | undefined;
    const port = await startTarget((_request, response) => {
      answering = response;
      response.write('first');
    });
    const response = await send(proxy, `http://127.0.0.1:${port}/`);
    // The target sends the rest only after the client has the beginning: a proxy that buffers would hang.
    const [chunk] = (await once(response, 'data')) as [Buffer];
    expect(chunk.toString()).toBe('first');
    answering?.end('rest');
    expect(await text(response)).toBe('rest');
  });

  it('passes on all of a large body', async () => {
    const proxy = await startProxy('127.0.0.1');
    const megabyte = Buffer.alloc(1 << 20);
    const port = await startTarget((_request, response) => {
      for (let sent = 0; sent < 64; sent += 1) response.write(megabyte);
      response.end();
    });
    let received = 0;
    const response = await send(proxy, `http://127.0.0.1:${port}/`);
    for await (const chunk of response) received += (chunk as Buffer).length;
    expect(received).toBe(64 << 20);
  });
});

describe('guarded proxy, CONNECT', () => {
  it('tunnels to a listed host', async () => {
    const proxy = await startProxy('localhost');
    const port = await startTarget(answer('through the tunnel'));
    const { response, socket } = await connect(proxy, `localhost:${port}`);
    expect(response.statusCode).toBe(200);
    socket.end('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    expect(await text(socket)).toContain('through the tunnel');
  });

  it.each(['localhost', '127.0.0.1', '[::1]', '[::ffff:7f00:1]', '0x7f.1', 'user@127.0.0.1'])(
    'refuses %s',
    async (host) => {
      const proxy = await startProxy('');
      const port = await startTarget(answer('reached'));
      const { response, socket } = await connect(proxy, `${host}:${port}`);
      expect(response.statusCode).toBe(403);
      expect(await text(socket)).toContain('allow it with PRIVATE_TARGETS');
    },
  );

  it('pins the tunnel to the address that it checked', async () => {
    const proxy = await startProxy('127.0.0.1');
    const port = await startTarget(answer('the checked one'));
    vi.spyOn(dns.promises, 'lookup').mockImplementation((() =>
      Promise.resolve([{ address: '127.0.0.1', family: 4 }])) as unknown as typeof dns.promises.lookup);
    const { socket } = await connect(proxy, `rebind.invalid:${port}`);
    socket.end('GET / HTTP/1.1\r\nhost: rebind.invalid\r\nconnection: close\r\n\r\n');
    expect(await text(socket)).toContain('the checked one');
  });
});

describe('guarded proxy, access', () => {
  it('requires its password, which differs for each proxy', async () => {
    const proxy = await startProxy('127.0.0.1');
    const other = await startProxy('127.0.0.1');
    const port = await startTarget(answer('reached'));
    const wrong = [{}, authorization({ username: 'egress', password: '' }), authorization(other)];
    for (const headers of wrong) {
      expect((await send(proxy, `http://127.0.0.1:${port}/`, headers)).statusCode).toBe(407);
    }
    const { response } = await connect(proxy, `127.0.0.1:${port}`, authorization(other));
    expect(response.statusCode).toBe(407);
  });

  it('closes even while a tunnel is open', async () => {
    const proxy = await startGuardedProxy(parsePrivateTargets('127.0.0.1'));
    const port = await startTarget(answer('reached'));
    const { socket } = await connect(proxy, `127.0.0.1:${port}`);
    const closed = once(socket, 'close');
    await proxy.close();
    await closed;
    const late = net.connect(proxy.port, proxy.host);
    await expect(once(late, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('removes NO_PROXY, with which DuckDB would bypass it', async () => {
    process.env['NO_PROXY'] = '*';
    process.env['no_proxy'] = 'localhost';
    await startProxy('');
    expect(process.env['NO_PROXY']).toBeUndefined();
    expect(process.env['no_proxy']).toBeUndefined();
  });
});
