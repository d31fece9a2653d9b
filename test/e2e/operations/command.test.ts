import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, it } from 'vitest';
import { create } from '../../support/service/create.ts';
import { as, newOrganisation, waitFor, type Run } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { serveFiles } from '../../support/fakes/file-server.ts';
import { startOtlpReceiver } from '../../support/fakes/otlp-receiver.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { someOf } from '../../support/effort.ts';
import { folderWithPrograms } from '../../temporal/cli/fake-programs.ts';
import { anyText, textLike } from '../../support/service/matchers.ts';
import {
  newDataDir,
  removeDataDir,
  runCommand,
  startService,
} from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';

/** The command line of the operator. */
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

const service = withService({ CLOCK });

/** Runs a command against the service, as its operator. */
const operate = (...command: string[]) =>
  runCommand(command, { DATA_DIR: service.dataDir, COST_ANALYTICS_URL: service.url });

async function succeed(...command: string[]): Promise<string> {
  const ended = await operate(...command);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  return ended.stdout;
}

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
    expect(await succeed('org', 'revoke', '--org', organisation.id, '--key', named.id)).toBe(
      `revoked ${named.id}  Rescue\n`,
    );
    expectError(await as(service, named.secret).get('/organisation'), 401, /revoked/);
  });

  it('exits with 1 and the service’s error if something is wrong', async () => {
    const cases: [string[], RegExp][] = [
      [
        ['org', 'create', '--name', 'x', '--tier', 'gold', '--currency', 'USD'],
        /tier: expected one of .*starter.*"gold"/,
      ],
      [
        ['org', 'create', '--name', ' Acme', '--currency', 'USD'],
        /name: expected a name that no other organisation has, got "Acme", the name of org_/,
      ],
      [['org', 'revoke', '--org', 'org_none', '--key', 'key_none'], /org_none/],
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
    const source = await create(admin, '/cost-sources', { name: 'Bill', kind: 'focus', location });
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
      PUBLIC_URL: ['https://costs.example.com/path', /PUBLIC_URL: expected an origin such as/],
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
    const { code, stdout } = await runCommand(['doctor'], { DATA_DIR: dataDir });
    expect({ code, stdout }).toMatchObject({ code: 0 });
    const either = ['Temporal', 'extension httpfs'];
    for (const subject of ['settings', 'Node', 'nice', 'data directory', 'disk', 'warehouse', ...either]) {
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

  it('reports the version of the embedded Temporal, or how the start gets it, and whether nice is there', async () => {
    const dataDir = await newDataDir();
    const cache = join(dataDir, 'cache');
    const look = async (name: string, programs: Record<string, string>) => {
      const PATH = await folderWithPrograms(join(dataDir, name), programs);
      const environment = { DATA_DIR: dataDir, XDG_CACHE_HOME: cache, PATH };
      const { code, stdout } = await runCommand(['doctor'], environment);
      const lines = stdout.split('\n').filter((line) => / (Temporal|nice): /.test(line));
      return { code, lines: lines.map((line) => line.replaceAll(PATH, '…').replaceAll(cache, '…')) };
    };
    const other = await look('other', { temporal: 'echo "temporal version 9.9.9 (Server 1.2.3)"' });
    expect(other).toEqual({
      code: 1,
      lines: [
        'PROBLEM nice: expected this program on the PATH, or every ingest fails: install coreutils',
        'note    Temporal: embedded, …/temporal, version 9.9.9; this product is tested with 1.5.1',
      ],
    });
    const built = await look('built', { nice: 'exit 0', go: 'exit 0' });
    expect(built).toEqual({
      code: 0,
      lines: [
        'ok      nice: …/nice',
        'note    Temporal: embedded; its server is not on this machine yet: the first start downloads version 1.5.1, or builds it with …/go',
      ],
    });
    // What Go builds does not know its version.
    await folderWithPrograms(join(cache, 'cost-analytics'), {
      'temporal-1.5.1': 'echo "temporal version 0.0.0-DEV"',
    });
    const { lines } = await look('cached', { nice: 'exit 0' });
    expect(lines).toContain('ok      Temporal: embedded, …/cost-analytics/temporal-1.5.1, version 1.5.1');
    await removeDataDir(dataDir);
  });

  it.each([
    [999, /a newer version.* has migrated .* to version 999, and this one knows \d+: start the newer one/],
    [
      31,
      /the warehouse has version 31, and this version .* upgrades version 32 and later: start this one with an empty DATA_DIR/,
    ],
  ])('and the start refuse a warehouse of version %i', async (version, words) => {
    const dataDir = await newDataDir();
    const file = await DuckDBInstance.create(join(dataDir, 'warehouse.duckdb'));
    const connection = await file.connect();
    await connection.run(`CREATE TABLE schema_migrations AS SELECT ${version}::INTEGER AS version`);
    connection.closeSync();
    file.closeSync();
    const looked = await runCommand(['doctor'], { DATA_DIR: dataDir });
    expect(looked.code).toBe(1);
    expect(looked.stdout).toMatch(/^PROBLEM +warehouse: .* version/m);
    expect(looked.stdout).toMatch(words);
    const started = await runCommand(['start'], { DATA_DIR: dataDir, PORT: '0' });
    expect(started.code).toBe(1);
    expect(started.stderr).toMatch(words);
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
