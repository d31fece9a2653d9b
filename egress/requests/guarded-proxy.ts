import { randomBytes, timingSafeEqual } from 'node:crypto';
import type dns from 'node:dns';
import { Agent } from 'node:http';
import { RequestError, Server, type PrepareRequestFunctionOpts } from 'proxy-chain';
import { ServiceError } from '../../domain/shared/errors.ts';
import type { PrivateTargets } from './private-targets.ts';
import { pinnedLookup, resolveTarget } from './resolve-target.ts';

/** Where the proxy listens, and the credentials that it demands. */
export interface GuardedProxy {
  /** `http://127.0.0.1:<port>`, without the credentials. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** Stops listening and cuts the connections that are open. */
  close(): Promise<void>;
}

/** The part of a pino logger that the proxy uses. */
export interface ProxyLog {
  warn(fields: { host: string; port: number; reason: string }, message: string): void;
}

const HOST = '127.0.0.1';
const USERNAME = 'egress';

/**
 * Starts a forward proxy on a free loopback port that reaches only what `privateTargets` allows. It checks every
 * request and every CONNECT, and so each hop of a redirect. It connects to the addresses that it checked. It refuses
 * other targets with a 403 whose body names PRIVATE_TARGETS.
 *
 * The proxy pipes bodies both ways. It does not limit their size or hold them in memory.
 *
 * Call it on the main thread, before the first query: it removes NO_PROXY from the environment of the process. The
 * libcurl inside DuckDB goes straight to the hosts in NO_PROXY, even if DuckDB has a proxy.
 */
export async function startGuardedProxy(
  privateTargets: PrivateTargets,
  log?: ProxyLog,
): Promise<GuardedProxy> {
  delete process.env['NO_PROXY'];
  delete process.env['no_proxy'];
  const password = randomBytes(24).toString('hex');
  // A kept socket is found by name and could outlive the check of the name, so that each request has its own.
  const httpAgent = new Agent({ keepAlive: false });

  const server = new Server({
    host: HOST,
    port: 0,
    authRealm: 'egress',
    prepareRequestFunction: async (request) => {
      if (!isAuthorized(request, password)) {
        return { requestAuthentication: true, failMsg: 'The egress proxy is for its own process only.' };
      }
      const { hostname: host, port } = request;
      try {
        const addresses = await resolveTarget(privateTargets, host);
        return { dnsLookup: pinnedLookup(addresses) as typeof dns.lookup, httpAgent };
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        log?.warn({ host, port, reason: error.message }, 'egress refused');
        throw new RequestError(error.message, 403);
      }
    },
  });
  await server.listen();

  return {
    url: `http://${HOST}:${server.port}`,
    host: HOST,
    port: server.port,
    username: USERNAME,
    password,
    close: () => server.close(true),
  };
}

/** Other users of the machine can reach a loopback port, so that the proxy demands a password. */
function isAuthorized(request: PrepareRequestFunctionOpts, password: string): boolean {
  const given = Buffer.from(`${request.username}:${request.password}`);
  const expected = Buffer.from(`${USERNAME}:${password}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
