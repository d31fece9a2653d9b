import { connect, type AddressInfo, type Socket } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { pino } from 'pino';
import { checkSource, type CheckDependencies } from '../../../activities/sources/checks/check-source.ts';
import { newSecret } from '../../../api/access/api-key.ts';
import type { Api } from '../../../api/http/api-type.ts';
import { buildServer } from '../../../api/app.ts';
import { deleteOrganisation } from '../../../bin/service/delete-organisation.ts';
import type { Tier } from '../../../domain/organisations/tiers.ts';
import { fixedClock, type Clock } from '../../../domain/shared/clock.ts';
import { NO_BUCKETS } from '../../../domain/sources/exports/object-storage.ts';
import { sourceRulesOf } from '../../../egress/locations/source-rules.ts';
import { parsePrivateTargets, type PrivateTargets } from '../../../egress/requests/private-targets.ts';
import { Sealer } from '../../../security/sealing.ts';
import { Orchestration } from '../../../temporal/orchestration.ts';
import { Metrics } from '../../../telemetry/metrics.ts';
import { newId } from '../../../warehouse/engine/sql/ids.ts';
import { createKey, type ApiKey } from '../../../warehouse/organisations/api-keys.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { WAIT_MS } from '../patience.ts';
import { openDuckDb, type TestWarehouse } from '../warehouse/engines.ts';
import { newOrganisation, NOW } from '../warehouse/tenant.ts';

/** The API in this process, on a port, with a real warehouse and without Temporal, which its tests do not need. */
export interface LocalApi {
  app: Api;
  url: string;
  port: number;
  warehouse: Warehouse;
  metrics: Metrics;
  lines: readonly string[];
  /** The folder of the warehouse. */
  directory: string;
  newTenant: (tier?: Tier) => Promise<{ orgId: string; secret: string }>;
  /** Makes a key of an organisation: an admin's that never expires, without changes. */
  newKey: (orgId: string, changes?: Partial<Pick<ApiKey, 'permission' | 'expires_at'>>) => Promise<string>;
  close: () => Promise<void>;
}

/** The operator's key of every local API. */
export const OPERATOR_KEY = 'operator-key-of-the-test';

/**
 * Starts the API, by default on DuckDB. `patienceMs` is the time-out for slow headers and bodies, and `mostConnections` the limit
 * of open connections. `prepare` may add routes. Nodes that are given one warehouse share it, and do not close it.
 */
export async function startLocalApi({
  patienceMs,
  mostConnections,
  clock = fixedClock(NOW),
  sealer = new Sealer(Buffer.alloc(32)),
  open = openDuckDb,
  publicUrl = null,
  prepare = () => undefined,
  shared,
  privateTargets = parsePrivateTargets(''),
  openRemoteFiles = () => Promise.reject(new Error('the source is not on this machine')),
  bigQueryEndpoint,
}: {
  patienceMs?: number;
  mostConnections?: number;
  clock?: Clock;
  sealer?: Sealer;
  open?: () => Promise<TestWarehouse>;
  publicUrl?: URL | null;
  prepare?: (app: Api) => unknown;
  shared?: TestWarehouse;
  /** The private hosts that sources may reach, by default none. */
  privateTargets?: PrivateTargets;
  openRemoteFiles?: CheckDependencies['openRemoteFiles'];
  bigQueryEndpoint?: string;
} = {}): Promise<LocalApi> {
  const opened = shared ?? (await open());
  const { warehouse } = opened;
  const connection = Connection.lazy({
    address: '127.0.0.1:1',
    channelArgs: { 'grpc.enable_http_proxy': 0 },
  });
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
  const orchestration = new Orchestration(new Client({ connection }));
  const files = {
    SOURCE_ROOTS: null,
    sourceRoots: [opened.directory] as const,
    EXPORT_TO: null,
    PRIVATE_TARGETS: privateTargets,
  };
  const checking = {
    warehouse,
    clock,
    sourceRulesOf: sourceRulesOf(files),
    openRemoteFiles,
    bigQueryEndpoint,
    operatorBuckets: { ...NO_BUCKETS, sts: null },
  };
  const metrics = new Metrics();
  const app = await buildServer(
    {
      warehouse,
      orchestration,
      clock,
      sourceRulesOf: sourceRulesOf(files),
      makeSourceFolder: () => Promise.resolve(opened.directory),
      deleteOrganisation: (id) =>
        deleteOrganisation({ warehouse, orchestration, clock, settings: files, log }, id),
      uploadLimit: 4 * 2 ** 20,
      checkRemoteFiles: () => Promise.resolve(),
      // However slow the machine is, it reads all of a source.
      checkSource: (asked, signal) =>
        checkSource(checking, asked, signal, [{ mostBytes: 1e12, mostMs: WAIT_MS }]),
      disk: () => Promise.resolve('ok'),
      sealer,
      writeKeyFile: () => Promise.resolve(null),
      checkCredentials: () => Promise.resolve([]),
      checkConnection: () => Promise.reject(new Error('no platform can be asked')),
      metrics,
      tracer: null,
      publicUrl,
      operatorKey: OPERATOR_KEY,
      pages: null,
      version: '0.0.0',
    },
    log,
    {
      ...(patienceMs === undefined ? {} : { patienceMs }),
      ...(mostConnections === undefined ? {} : { mostConnections }),
    },
  );
  prepare(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const makeKey: LocalApi['newKey'] = async (orgId, changes = {}) => {
    const key = {
      id: newId('key'),
      name: 'Admin',
      permission: 'admin' as const,
      expires_at: null,
      ...changes,
    };
    const { secret, secretHash } = newSecret(key.id);
    await warehouse.session((session) => createKey(session, orgId, { ...key, secretHash }, NOW));
    return secret;
  };
  return {
    app,
    metrics,
    url: `http://127.0.0.1:${port}`,
    port,
    warehouse,
    lines,
    directory: opened.directory,
    newTenant: async (tier) => {
      const { id: orgId } = await newOrganisation(warehouse, tier === undefined ? {} : { tier });
      return { orgId, secret: await makeKey(orgId) };
    },
    newKey: makeKey,
    close: async () => {
      await app.close();
      await connection.close();
      if (shared === undefined) await opened.close();
    },
  };
}

/** A connection that sends raw bytes. Its answer is everything received until the server closes it. */
export interface RawConnection {
  socket: Socket;
  answer: Promise<string>;
}

/** Opens a connection and sends bytes. If the connection fails, the answer is what was received before. */
export function openRaw(port: number, bytes: string | Buffer): RawConnection {
  let text = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  const answer = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(text);
    });
  });
  return { socket, answer };
}
