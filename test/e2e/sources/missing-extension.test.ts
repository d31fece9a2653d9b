import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { defaultCliCacheDir } from '../../../temporal/cli/cli-cache.ts';
import { OPERATOR } from '../../../domain/organisations/actor.ts';
import { updateCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { serveFiles } from '../../support/fakes/file-server.ts';
import { as, ingest, newIngestedSource, newOrganisation } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { runCommand } from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';
import { fileSettings } from '../../support/warehouse/engines.ts';
import { withOpened } from '../../support/with-opened.ts';

/**
 * A machine that has no httpfs extension and cannot reach DuckDB's site. Its bill is on a web server. Nothing waits: the
 * connection is refused, and a source from before fails with its first attempt. The file of the folder counts as ever, 40.5 USD.
 */
const WHAT_TO_DO =
  /the DuckDB extension httpfs cannot be loaded: .*scripts\/fetch-duckdb-extensions\.sh.*DUCKDB_EXTENSIONS/;

let home: string;
const bill = Buffer.from(focusCsv([dayLine('2026-01-10', '40.5')]));
const host = withOpened(() => serveFiles(new Map([['/bill.csv', bill]])));
let environment: Record<string, string>;

const service = withService(async () => {
  home = await mkdtemp(join(tmpdir(), 'cost-analytics-home-'));
  environment = {
    CLOCK: '2026-02-07T06:00:00Z',
    PRIVATE_TARGETS: '127.0.0.1',
    SOURCE_BUCKETS: 's3://bills/',
    DUCKDB_EXTENSIONS: join(home, 'none'),
    // DuckDB keeps what it installs below HOME, and downloads through this proxy, which is not there.
    HOME: home,
    HTTP_PROXY: 'http://127.0.0.1:1',
    XDG_CACHE_HOME: dirname(defaultCliCacheDir(process.env)),
  };
  return environment;
});

afterAll(async () => {
  await service.stop();
  await rm(home, { recursive: true });
});

it('refuses a source on another host, and reads and keeps local ones', async () => {
  const { admin } = await newOrganisation(service);
  const focus = { name: 'Web', kind: 'focus', location: `${host.url}/bill.csv` };
  expectError(await admin.post('/cost-sources', focus), 400, /^location: /, WHAT_TO_DO);
  expectError(
    await admin.post('/cost-sources', { ...focus, location: 's3://bills/*.csv' }),
    400,
    /^location: /,
    WHAT_TO_DO,
  );
  const usage = { usage_location: `${host.url}/usage.csv` };
  const tools = { name: 'Tools', kind: 'ai_tools', location: 'spend.csv', options: usage };
  expectError(await admin.post('/cost-sources', tools), 400, /^options\.usage_location: /, WHAT_TO_DO);
  expect(expectPage(await admin.get<unknown[]>('/cost-sources')).items).toEqual([]);

  const file = join(service.dataDir, 'bill.csv');
  await writeFile(file, focusCsv([dayLine('2026-01-10', '40.5')]));
  const id = await newIngestedSource(admin, { ...focus, location: file });
  expectError(
    await admin.patch(`/cost-sources/${id}`, { location: focus.location }),
    400,
    /^location: /,
    WHAT_TO_DO,
  );
  expectData(await admin.patch(`/cost-sources/${id}`, { name: 'Folder' }));
  expect(await ingest(admin, id, { all: true })).toMatchObject({ status: 'completed', cost_total: 40.5 });
  // The service itself calls an OpenCost API.
  expectData(await admin.post('/cost-sources', { ...focus, kind: 'opencost', location: host.url }));
});

it('fails the runs of a source from before at once, and the doctor names the source', async () => {
  const { id: orgId, secret, admin } = await newOrganisation(service, { name: 'Acme' });
  const file = join(service.dataDir, 'bill.csv');
  await writeFile(file, focusCsv([dayLine('2026-01-10', '40.5')]));
  const id = await newIngestedSource(admin, { name: 'Web bill', kind: 'focus', location: file });
  await service.stop();
  const warehouse = await Warehouse.open(fileSettings(service.dataDir));
  const location = `${host.url}/bill.csv`;
  await updateCostSource(warehouse, orgId, id, { location }, { actor: OPERATOR, now: new Date() });
  warehouse.close();

  const { code, stdout } = await runCommand(['doctor'], {
    ...environment,
    DATA_DIR: service.dataDir,
    SOURCE_ROOTS: service.dataDir,
  });
  expect({ code, stdout }).toMatchObject({ code: 1 });
  expect(stdout).toMatch(/^note +extension httpfs: .*scripts\/fetch-duckdb-extensions\.sh/m);
  expect(stdout).toMatch(
    new RegExp(
      `^PROBLEM sources: organisation "Acme" \\(${orgId}\\): .*httpfs: "Web bill" \\(${id}\\)$`,
      'm',
    ),
  );
  expect(stdout.match(/PROBLEM/g)).toHaveLength(1);

  await service.start();
  const after = as(service, secret);
  const run = await ingest(after, id);
  expect(run).toMatchObject({ status: 'failed', rows_read: 0 });
  expect(run.error).toMatch(WHAT_TO_DO);
  expect(run.error).not.toContain('retried');
  expect(expectData(await after.get('/costs?start_date=2026-01-01&end_date=2026-01-31'))).toMatchObject({
    total: 40.5,
  });
  expect(service.logs()).not.toContain('attempt 2');
});
