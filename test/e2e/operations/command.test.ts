import { randomBytes } from 'node:crypto';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDevServer, type DevServer } from '../../../temporal/dev-server/dev-server.ts';
import { findTemporalCli } from '../../../temporal/cli/find-temporal-cli.ts';
import { as, newOrganisation, waitFor, type Api, type Run } from '../../support/service/api-client.ts';
import { hasDuckLake, newCatalog } from '../../support/warehouse/engines.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { extensionDirectory } from '../../support/warehouse/extension-directory.ts';
import { serveFiles } from '../../support/fakes/file-server.ts';
import { startOtlpReceiver } from '../../support/fakes/otlp-receiver.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { someOf } from '../../support/effort.ts';
import { anyText, textLike } from '../../support/service/matchers.ts';
import {
  newDataDir,
  removeDataDir,
  runCommand,
  startService,
  type ServiceProcess,
} from '../../support/service/service-process.ts';

/** The command line of the operator (contract §4). */
const CLOCK = '2026-02-07T06:00:00Z';

interface Organisation {
  id: string;
  name: string;
  tier: string;
  currency: string;
  settle_days: number;
}

interface Created {
  organisation: Organisation;
  key: { id: string; name: string; permission: string; secret: string };
}

const readCreated = (text: string): Created => JSON.parse(text) as Created;
const readList = (text: string): Organisation[] => JSON.parse(text) as Organisation[];
const readChanged = (text: string): Organisation => JSON.parse(text) as Organisation;

let service: ServiceProcess;

beforeAll(async () => {
  service = await startService({ dataDir: await newDataDir(), environment: { CLOCK } });
});

afterAll(async () => {
  await service.stop();
  await removeDataDir(service.dataDir);
});

/** Runs a command against the service, as its operator. */
const operate = (...command: string[]) =>
  runCommand(command, { DATA_DIR: service.dataDir, COST_ANALYTICS_URL: service.url });

const succeed = async (...command: string[]): Promise<string> => {
  const ended = await operate(...command);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return ended.stdout;
};

describe('org', () => {
  it('create makes an organisation and its first admin key, and prints JSON or text', async () => {
    const created = readCreated(
      await succeed('org', 'create', '--name', 'Acme', '--tier', 'business', '--currency', 'EUR', '--json'),
    );
    expect(created).toEqual({
      organisation: {
        id: textLike(/^org_/),
        name: 'Acme',
        tier: 'business',
        currency: 'EUR',
        settle_days: 5,
      },
      key: {
        id: textLike(/^key_/),
        name: anyText,
        permission: 'admin',
        expires_at: null,
        created_at: '2026-02-07T06:00:00.000Z',
        last_used_at: null,
        revoked_at: null,
        secret: anyText,
      },
      source_folder: service.dataDir,
    });
    const admin = as(service, created.key.secret);
    expect(expectData(await admin.get('/organisation'))).toEqual(created.organisation);

    const options = ['--tier', 'starter', '--currency', 'USD', '--settle-days', '3'];
    const text = await succeed('org', 'create', '--name', 'Small & Co', ...options);
    expect(text).toContain(`\nfolder for its exports: ${service.dataDir}\n`);
    const [, id, secret] = /(org_\w+)[^]*Small & Co[^]*?(ca_\S+)/.exec(text) ?? [];
    expect(expectData(await as(service, secret ?? '').get('/organisation'))).toEqual({
      id,
      name: 'Small & Co',
      tier: 'starter',
      currency: 'USD',
      settle_days: 3,
    });
  });

  it('list shows all organisations, and never a secret', async () => {
    const organisations = readList(await succeed('org', 'list', '--json'));
    expect(organisations.map(({ name }) => name)).toEqual(['Acme', 'Small & Co']);
    const text = await succeed('org', 'list');
    expect(text.trim().split('\n')).toHaveLength(2);
    for (const { id, name } of organisations) expect(text).toMatch(new RegExp(`${id}.*${name}`));
    expect(text).not.toContain('ca_');
  });

  it('set changes name, tier and settle days with immediate effect', async () => {
    const { organisation, key } = readCreated(
      await succeed('org', 'create', '--name', 'Grows', '--tier', 'starter', '--currency', 'USD', '--json'),
    );
    const admin = as(service, key.secret);
    expectError(await admin.get('/metrics'), 403, /Professional/);
    const set = ['org', 'set', '--id', organisation.id];
    const changed = readChanged(await succeed(...set, '--tier', 'professional', '--json'));
    expect(changed).toEqual({ ...organisation, tier: 'professional' });
    expectPage(await admin.get<unknown[]>('/metrics'));
    const text = await succeed(...set, '--name', 'Grown', '--settle-days', '0');
    expect(text).toMatch(/Grown/);
    expect(expectData(await admin.get('/organisation'))).toEqual({
      ...changed,
      name: 'Grown',
      settle_days: 0,
    });
  });

  it('key makes an admin key for an organisation that lost its own, and records it in the audit log', async () => {
    const create = ['org', 'create', '--name', 'Locked out', '--tier', 'business', '--currency', 'USD'];
    const { organisation } = readCreated(await succeed(...create, '--json'));
    const make = ['org', 'key', '--org', organisation.id];
    const named = JSON.parse(await succeed(...make, '--name', 'Rescue', '--json')) as Created['key'];
    expect(named).toEqual({
      id: textLike(/^key_/),
      name: 'Rescue',
      permission: 'admin',
      expires_at: null,
      created_at: '2026-02-07T06:00:00.000Z',
      last_used_at: null,
      revoked_at: null,
      secret: anyText,
    });
    expect(expectData(await as(service, named.secret).get('/organisation'))).toEqual(organisation);
    const [, secret = ''] = /(ca_\S+)/.exec(await succeed(...make)) ?? [];
    const { items } = expectPage(await as(service, secret).get<Record<string, unknown>[]>('/audit-log'));
    expect(items.map(({ actor, action, target, detail }) => [actor, action, target, detail])[1]).toEqual([
      { type: 'operator', id: 'operator', name: 'operator' },
      'key.create',
      named.id,
      { name: 'Rescue', permission: 'admin', expires_at: null },
    ]);
    expect(JSON.stringify(items)).not.toContain(named.secret);
  });

  it('exits with 1 and the service’s error if something is wrong', async () => {
    const cases: [string[], RegExp][] = [
      [
        ['org', 'create', '--name', 'x', '--tier', 'gold', '--currency', 'USD'],
        /tier: expected one of .*starter.*"gold"/,
      ],
      [['org', 'create', '--name', 'x', '--currency', 'USD'], /--tier/],
      [['org', 'set', '--id', 'org_none', '--tier', 'starter'], /org_none/],
      [['org', 'set', '--id', 'org_none', '--settle-days', 'few'], /whole number/],
      [['org', 'key', '--org', 'org_none'], /org_none/],
      [['org', 'key'], /--org/],
      [['nonsense'], /nonsense/],
    ];
    for (const [command, message] of cases) {
      const { code, stdout, stderr } = await operate(...command);
      expect({ command, code, stdout }).toEqual({ command, code: 1, stdout: '' });
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
    expect(readList(await succeed('org', 'list', '--json'))).toHaveLength(4);
  });

  it('explains what to do if no service answers, or if the operator key is missing or wrong', async () => {
    const { dataDir, url } = service;
    // Nothing listens on this port. A port that was just released could be another test's by now.
    const away = await runCommand(['org', 'list', '--url', 'http://127.0.0.1:2'], { DATA_DIR: dataDir });
    expect(away.code).toBe(1);
    expect(away.stderr).toMatch(/no service answers at .*--url/);
    const stranger = await runCommand(['org', 'list', '--url', url], { DATA_DIR: join(dataDir, 'other') });
    expect(stranger.code).toBe(1);
    expect(stranger.stderr).toMatch(/OPERATOR_KEY.*DATA_DIR/);
    const wrong = await runCommand(['org', 'list', '--url', url], {
      DATA_DIR: dataDir,
      OPERATOR_KEY: 'x'.repeat(43),
    });
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toMatch(/X-Operator-Key/);
    const key = (await readFile(join(dataDir, 'operator.key'), 'utf8')).trim();
    const right = await runCommand(['org', 'list', '--url', url], {
      DATA_DIR: '/nowhere',
      OPERATOR_KEY: key,
    });
    expect(right).toMatchObject({ code: 0 });
    expect((await stat(join(dataDir, 'operator.key'))).mode & 0o777).toBe(0o600);
  });
});

describe('ingest', () => {
  it('starts an ingest, and follows it to its end with --wait', async () => {
    const { id, admin } = await newOrganisation(service);
    const location = join(service.dataDir, 'exports', 'bill.csv');
    await writeFile(location, focusCsv([dayLine('2025-12-31', '1'), dayLine('2026-01-31', '2.5')]));
    const source = expectData(
      await admin.post<{ id: string }>('/cost-sources', { name: 'Bill', kind: 'focus', location }),
    ).id;
    const command = ['ingest', '--org', id, '--source', source];
    const waited = await succeed(...command, '--from', '2026-01', '--to', '2026-01', '--wait');
    expect(waited).toMatch(/^run_\w+ started\n/);
    expect(waited).toMatch(/completed: 2 rows read, 0 rejected, 1 left out, 2\.5 in 2026-01/);
    const total = async () =>
      expectData(await admin.get<{ total: number }>('/costs?start_date=2025-12-01&end_date=2026-01-31'))
        .total;
    expect(await total()).toBe(2.5);

    const [, runId] = /^(run_\w+) started\n$/.exec(await succeed(...command)) ?? [];
    await waitFor(async () => {
      const runs = expectPage(await admin.get<Run[]>(`/cost-sources/${source}/runs`)).items;
      return runs.some(({ run_id, status }) => run_id === runId && status === 'completed') ? true : undefined;
    });
    expect(await total()).toBe(3.5);

    // January has settled, so that the loss of its 31st must be accepted.
    await writeFile(location, focusCsv([dayLine('2025-12-31', '1'), dayLine('2026-01-30', '4')]));
    const shrunk = await operate(...command, '--wait');
    expect(shrunk.code).toBe(1);
    expect(shrunk.stderr).toMatch(
      /failed: the export no longer has 2026-01-31, which had 2\.5 USD; .* 1\.5 USD more, .*accept_shrink/,
    );
    expect(await succeed(...command, '--accept-shrink', '--wait')).toMatch(
      /2 rows read.*\nnote: .*2026-01-31/,
    );
    expect(await total()).toBe(5);

    await writeFile(location, 'nothing,of,use\n1,2,3\n');
    const failed = await operate(...command, '--wait');
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/run_\w+ failed: .*mandatory column/);
    for (const [wrong, message] of [
      [['--org', id, '--source', 'src_none'], /src_none/],
      [['--org', id, '--source', source, '--from', '2026-02', '--to', '2026-01'], /end_month: expected/],
    ] as const) {
      const refused = await operate('ingest', ...wrong, '--wait');
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(message);
    }
  });
});

describe('settings', () => {
  it('end the process if they are wrong, and each error names what was expected', async () => {
    const dataDir = await newDataDir();
    const wrong: Record<string, [string, RegExp]> = {
      PORT: ['99999', /PORT: expected a port.*"99999"/],
      LOG_LEVEL: ['loud', /LOG_LEVEL: expected one of .*info/],
      CLOCK: ['yesterday', /CLOCK: expected an instant/],
      OPERATOR_KEY: ['short', /OPERATOR_KEY: expected at least 16/],
      PRIVATE_TARGETS: ['http://minio:9000', /PRIVATE_TARGETS: .*"http:\/\/minio:9000"/],
      DUCKDB_MEMORY_LIMIT: ['lots', /DUCKDB_MEMORY_LIMIT: expected a size/],
      DUCKDB_THREADS: ['0', /DUCKDB_THREADS: expected a number of threads/],
      SOURCE_ROOTS: [':', /SOURCE_ROOTS: expected at least one folder/],
      TEMPORAL_UI_PORT: ['high', /TEMPORAL_UI_PORT: expected a port from 1 to 65535, got "high"/],
      METRICS_PORT: ['0', /METRICS_PORT: expected a port from 1 to 65535/],
      OTEL_SDK_DISABLED: ['maybe', /OTEL_SDK_DISABLED: expected true or false/],
      OTEL_EXPORTER_OTLP_ENDPOINT: ['collector:4318', /OTEL_EXPORTER_OTLP_ENDPOINT: expected a URL such as/],
      OTEL_TRACES_SAMPLER: ['sometimes', /OTEL_TRACES_SAMPLER: expected one of always_on/],
    };
    const settings = Object.fromEntries(Object.entries(wrong).map(([name, [value]]) => [name, value]));
    for (const command of ['start', 'doctor']) {
      const ended = await runCommand([command], { DATA_DIR: dataDir, ...settings });
      expect({ command, code: ended.code }).toEqual({ command, code: 1 });
      // The output names all wrong settings at once.
      for (const [, message] of Object.values(wrong)) {
        expect(`${ended.stdout}${ended.stderr}`).toMatch(message);
      }
      expect(ended.stdout).not.toMatch(/^ready/m);
      expect(`${ended.stdout}${ended.stderr}`).not.toMatch(/^\s+at /m);
    }
    for (const size of someOf(['1KB', '0GB', '63.9MB', '1..5GB'], 2)) {
      const ended = await runCommand(['start'], { DATA_DIR: dataDir, PORT: '0', DUCKDB_MEMORY_LIMIT: size });
      expect({ size, code: ended.code }).toEqual({ size, code: 1 });
      expect(ended.stderr).toContain(
        `DUCKDB_MEMORY_LIMIT: expected a size of at least 64MB, such as 1GB, got "${size}"`,
      );
    }
    const oneSided = { TEMPORAL_ADDRESS: '127.0.0.1:1', TEMPORAL_TLS_CERT: '/cert.pem' };
    const ended = await runCommand(['start'], { DATA_DIR: dataDir, PORT: '0', ...oneSided });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/TEMPORAL_TLS_CERT and TEMPORAL_TLS_KEY/);
    await removeDataDir(dataDir);
  });

  it('come from flags, then the environment, then .env', async () => {
    const working = await newDataDir();
    const dataDir = join(working, 'from-flag');
    await writeFile(
      join(working, '.env'),
      'LOG_LEVEL=silent\n# Two comments in a row:\n# LOG_LEVEL=info\nCLOCK=2026-01-01T00:00:00Z\nHOST=127.0.0.1\n',
    );
    const started = await startService({
      dataDir: working,
      command: ['start', '--data', dataDir, '--port', '0'],
      environment: { CLOCK, PORT: '1' },
    });
    try {
      // CLOCK of the environment over .env, --data over DATA_DIR, --port over PORT, LOG_LEVEL of .env.
      const { admin } = await newOrganisation({ url: started.url, dataDir });
      const { quota } = expectData(await admin.get<{ quota: { resets_at: string } }>('/auth/info'));
      expect(quota.resets_at).toBe('2026-02-08T00:00:00.000Z');
      expect(started.logs()).not.toMatch(/"level":/);
      expect((await stat(join(dataDir, 'warehouse.duckdb'))).isFile()).toBe(true);
    } finally {
      expect(await started.stop()).toBe(0);
    }
    await removeDataDir(working);
  });
});

describe('doctor', () => {
  it('finds no problem on a fresh machine', async () => {
    const dataDir = await newDataDir();
    const { code, stdout } = await runCommand(['doctor'], {
      DATA_DIR: dataDir,
      ...(extensionDirectory === null ? {} : { DUCKDB_EXTENSIONS: extensionDirectory }),
    });
    expect({ code, stdout }).toMatchObject({ code: 0 });
    for (const subject of ['settings', 'data directory', 'Temporal', 'extension httpfs', 'warehouse']) {
      expect(stdout).toMatch(new RegExp(`^(ok|note) +${subject}:`, 'm'));
    }
    expect(stdout).not.toContain('PROBLEM');
    await removeDataDir(dataDir);
  });

  it('finds no problem beside the running service', async () => {
    const { code, stdout } = await runCommand(['doctor', '--data', service.dataDir], {});
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/^note +warehouse: .*another process uses/m);
  });

  it('reports the page of the embedded Temporal, and whether a collector of traces answers', async () => {
    const dataDir = await newDataDir();
    const collector = await startOtlpReceiver();
    const look = async (endpoint: string): Promise<string> => {
      const environment = { TEMPORAL_UI_PORT: '8233', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
      const { code, stdout } = await runCommand(['doctor'], { DATA_DIR: dataDir, ...environment });
      expect({ code, stdout }).toMatchObject({ code: 0 });
      return stdout;
    };
    const shown = await look(collector.url);
    expect(shown).toMatch(/^ok +TEMPORAL_UI_PORT: .*http:\/\/127\.0\.0\.1:8233$/m);
    expect(shown).toContain(`traces: ${collector.url}/v1/traces answers\n`);
    await collector.close();
    const { port } = new URL(collector.url);
    const later = await look(`http://user:password@127.0.0.1:${port}/`);
    expect(later).toMatch(/^note +traces: http:\/\/user:…@127\.0\.0\.1:\d+\/v1\/traces does not answer: /m);
    expect(later).not.toContain('password');
    await removeDataDir(dataDir);
  });

  it('exits with 1 and names the setting to correct', async () => {
    const dataDir = await newDataDir();
    const file = join(dataDir, 'file');
    await writeFile(file, 'no folder');
    const stopped = await serveFiles(new Map());
    await stopped.close();
    const wrong: [Record<string, string>, RegExp][] = [
      [{ DATA_DIR: join(file, 'data') }, /PROBLEM +data directory: .*DATA_DIR/],
      [{ TEMPORAL_ADDRESS: stopped.url.replace('http://', '') }, /PROBLEM +Temporal: .*TEMPORAL_ADDRESS/],
      [{ WAREHOUSE: file }, /PROBLEM +warehouse: .*WAREHOUSE/],
      [{ CLOCK: 'soon' }, /PROBLEM +settings: .*CLOCK/],
      [
        { TEMPORAL_UI_PORT: '8233', TEMPORAL_ADDRESS: '127.0.0.1:1' },
        /PROBLEM +settings: TEMPORAL_UI_PORT: expected nothing beside TEMPORAL_ADDRESS/,
      ],
      [
        { OTEL_EXPORTER_OTLP_ENDPOINT: stopped.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
        /PROBLEM +settings: OTEL_EXPORTER_OTLP_PROTOCOL: expected http\/protobuf, got "grpc"/,
      ],
    ];
    for (const [environment, message] of someOf(wrong, 1)) {
      const { code, stdout } = await runCommand(['doctor'], { DATA_DIR: dataDir, ...environment });
      expect({ environment, code, stdout }).toMatchObject({ code: 1 });
      expect(stdout).toMatch(message);
    }
    await removeDataDir(dataDir);
  });
});

const why = hasDuckLake ? '' : ' (SKIPPED: needs TEST_POSTGRES and DUCKDB_EXTENSIONS, see .ci/run)';

describe.skipIf(!hasDuckLake)(`separate api and worker processes on one DuckLake${why}`, () => {
  let temporal: DevServer;
  let shared: string;
  let first: ServiceProcess;
  let second: ServiceProcess;
  let worker: ServiceProcess;
  let environment: Record<string, string>;
  /** Makes an organisation, whose secret is valid for both API processes. */
  let organise: (tier: string) => Promise<{ id: string; secret: string; admin: Api }>;

  const start = async (command: string, more: Record<string, string> = {}): Promise<ServiceProcess> =>
    startService({
      dataDir: await newDataDir(),
      command: [command],
      environment: { ...environment, ...more },
    });

  beforeAll(async () => {
    shared = await newDataDir();
    await mkdir(join(shared, 'exports'));
    const operatorKey = randomBytes(32).toString('base64url');
    await writeFile(join(shared, 'operator.key'), operatorKey);
    // A Temporal of another operator, in which nothing is prepared for the product.
    temporal = await startDevServer({
      cli: await findTemporalCli({ env: process.env, progress: () => undefined }),
      dataDir: join(shared, 'temporal'),
      uiPort: null,
      namespace: 'default',
      searchAttributes: {},
      log: { info: () => undefined, warn: () => undefined },
    });
    environment = {
      CLOCK,
      TEMPORAL_ADDRESS: temporal.address,
      WAREHOUSE: await newCatalog(),
      WAREHOUSE_DATA: join(shared, 'lake'),
      MASTER_KEY: randomBytes(32).toString('base64'),
      OPERATOR_KEY: operatorKey,
      SOURCE_ROOTS: join(shared, 'exports'),
    };
    first = await start('api');
    [second, worker] = await Promise.all([start('api'), start('worker')]);
    organise = (tier) => newOrganisation({ url: first.url, dataDir: shared }, { tier });
  }, 180_000);

  afterAll(async () => {
    for (const each of [first, second, worker]) {
      await each.stop();
      await removeDataDir(each.dataDir);
    }
    await temporal.stop();
    await removeDataDir(shared);
  });

  it('reject a key as soon as one of them revokes it', async () => {
    const { secret, admin } = await organise('enterprise');
    expectData(await as(second, secret).get('/organisation'));
    for (let round = 0; round < 5; round++) {
      const key = expectData(
        await admin.post<{ id: string; secret: string }>('/keys', { name: 'k', permission: 'read' }),
      );
      const [here, there] = [as(first, key.secret), as(second, key.secret)];
      expectData(await there.get('/organisation'));
      expectData(await here.get('/organisation'));
      expectData(await as(second, secret).delete(`/keys/${key.id}`));
      expectError(await here.get('/organisation'), 401, /revoked/);
      expectError(await there.get('/organisation'), 401, /revoked/);
    }
  });

  it('share one quota', async () => {
    const { secret } = await organise('starter');
    const processes = [as(first, secret), as(second, secret)] as const;
    const remaining: (string | null)[] = [];
    for (let call = 0; call < 100; call++) {
      const answer = await processes[call % 2 === 0 ? 0 : 1].get('/organisation');
      expect([call, answer.status]).toEqual([call, 200]);
      remaining.push(answer.headers.get('ratelimit-remaining'));
    }
    expect(remaining.at(-1)).toBe('0');
    for (const api of processes) expectError(await api.get('/organisation'), 429, /limit/);
    // If both are called at once, the limit holds, except for calls under way.
    const storm = await organise('starter');
    const both = [as(first, storm.secret), as(second, storm.secret)];
    const statuses: number[] = [];
    const callers = [...both, ...both].map(async (api) => {
      for (let call = 0; call < 50; call++) statuses.push((await api.get('/organisation')).status);
    });
    await Promise.all(callers);
    const admitted = statuses.filter((status) => status === 200).length;
    expect(admitted).toBeGreaterThanOrEqual(100);
    expect(admitted).toBeLessThanOrEqual(110);
  });

  it('store all values sent to either, and apply a change of plan on both', async () => {
    const { id, secret, admin } = await organise('starter');
    const set = { DATA_DIR: shared, COST_ANALYTICS_URL: second.url };
    const raised = await runCommand(['org', 'set', '--id', id, '--tier', 'enterprise'], set);
    expect(raised).toMatchObject({ code: 0 });
    const metric = expectData(
      await admin.post<{ id: string }>('/metrics', {
        name: 'Orders',
        unit: 'order',
        aggregation: 'total',
        frequency: 'daily',
        scope: { type: 'organisation' },
      }),
    ).id;
    const path = `/metrics/${metric}/values`;
    const writes = Array.from({ length: 20 }, (_, index) => {
      const period = `2026-01-${String(index + 1).padStart(2, '0')}`;
      return as(index % 2 === 0 ? first : second, secret).post(path, { values: [{ period, value: index }] });
    });
    for (const answer of await Promise.all(writes)) expectData(answer);
    // Both write the same day. One number becomes the value, and the other its previous value.
    const race = await Promise.all(
      [first, second].map((each, index) =>
        as(each, secret).post(path, { values: [{ period: '2026-01-31', value: 100 + index }] }),
      ),
    );
    for (const answer of race) expectData(answer);
    const read = async (api: Api) => expectPage(await api.get<{ value: number }[]>(path)).items;
    const values = await read(as(first, secret));
    expect(values).toHaveLength(21);
    expect(await read(as(second, secret))).toEqual(values);
    const history = expectPage(
      await admin.get<{ value: number; previous: number | null }[]>(`/metrics/${metric}/history?limit=2`),
    ).items;
    expect(history.map(({ value }) => value).sort()).toEqual([100, 101]);
    expect(history.map(({ previous }) => previous)).toEqual([history[1]?.value, null]);
    expect(values.at(-1)?.value).toBe(history[0]?.value);
  });

  it('run an ingest in the worker, and show it on both', async () => {
    const { id, secret, admin } = await organise('enterprise');
    const location = join(shared, 'exports', 'bill.csv');
    await writeFile(location, focusCsv([dayLine('2026-01-10', '1.25'), dayLine('2026-01-31', '2.5')]));
    const source = expectData(
      await admin.post<{ id: string }>('/cost-sources', { name: 'Bill', kind: 'focus', location }),
    ).id;
    const environment = { DATA_DIR: shared, COST_ANALYTICS_URL: first.url };
    const command = ['ingest', '--org', id, '--source', source, '--wait'];
    const ended = await runCommand(command, environment);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const costs = await as(second, secret).get('/costs?start_date=2026-01-01&end_date=2026-01-31');
    expect(expectData(costs)).toMatchObject({ total: 3.75, complete_through: '2026-01-31' });
    expect(worker.logs()).toContain('"msg":"loaded"');
    expect(`${first.logs()}${second.logs()}`).not.toContain('"msg":"loaded"');
  });

  it('keep an ingest waiting until a worker runs it', async () => {
    const { secret, admin } = await organise('enterprise');
    expect(await worker.stop()).toBe(0);
    const location = join(shared, 'exports', 'bill.csv');
    const source = expectData(
      await admin.post<{ id: string }>('/cost-sources', { name: 'Bill', kind: 'focus', location }),
    ).id;
    const path = `/cost-sources/${source}`;
    expectData(await admin.post(`${path}/ingest`, {}));
    expectError(await as(second, secret).post(`${path}/ingest`, {}), 409, /running/);
    const runs = async () => expectPage(await as(second, secret).get<Run[]>(`${path}/runs`)).items;
    expect(await runs()).toMatchObject([{ status: 'running' }]);
    await removeDataDir(worker.dataDir);
    worker = await start('worker');
    await waitFor(async () => ((await runs())[0]?.status === 'completed' ? true : undefined));
    expect(await runs()).toMatchObject([{ status: 'completed', cost_total: 3.75 }]);
  });

  it('can start together on an empty catalog, as an orchestrator starts them', async () => {
    const fresh = { WAREHOUSE: await newCatalog(), WAREHOUSE_DATA: join(shared, 'fresh') };
    const started = await Promise.allSettled([start('api', fresh), start('api', fresh), start('api', fresh)]);
    const running = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    for (const each of running) {
      expect(await each.stop()).toBe(0);
      await removeDataDir(each.dataDir);
    }
    const failed = started.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
    expect(failed).toEqual([]);
  });

  it('are ready, and report that they reach the warehouse and Temporal', async () => {
    for (const { url } of [first, second]) expect((await fetch(`${url}/readyz`)).status).toBe(200);
    const { admin } = await organise('enterprise');
    expect(expectData(await admin.get('/health'))).toMatchObject({ warehouse: 'ok', temporal: 'ok' });
  });
});
