import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ingestWorkflowId } from '../../../domain/sources/ingest.ts';
import { create, createMetric } from '../../support/service/create.ts';
import {
  as,
  ingest,
  newOrganisation,
  waitFor,
  type Api,
  type Run,
} from '../../support/service/api-client.ts';
import { THOROUGH } from '../../support/effort.ts';
import { writeTable } from '../../support/warehouse/duckdb-files.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { serveFiles } from '../../support/fakes/file-server.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { newDataDir, removeDataDir, runCommand } from '../../support/service/service-process.ts';
import { withService } from '../../support/service/with-service.ts';
import { openTemporal } from '../../support/service/temporal-client.ts';
import { STOP_MS } from '../../support/patience.ts';

/**
 * Kills and stops the process in the middle of its work. It must lose nothing that it answered, and never show a partial result.
 */
const ENVIRONMENT = { CLOCK: '2026-02-07T06:00:00Z' };
/** Enough that the load is still under way when it is killed. */
const ROWS = 1_500_000;
/** Row i costs (i mod 1000) ÷ 1000, on average 0.4995. BilledCost is twice as much. */
const EFFECTIVE_TOTAL = (ROWS / 1000) * 499.5;
const BILLED_TOTAL = 2 * EFFECTIVE_TOTAL;
const JANUARY = '/costs?start_date=2026-01-01&end_date=2026-01-31';

const LARGE_EXPORT = `
  SELECT ((i % 1000) * 0.002)::DECIMAL(18,3) AS BilledCost, ((i % 1000) * 0.001)::DECIMAL(18,3) AS EffectiveCost,
    'USD' AS BillingCurrency, '1000' AS BillingAccountId, (i % 7)::VARCHAR AS SubAccountId, 'Shop' AS SubAccountName,
    '2026-01-01T00:00:00Z' AS BillingPeriodStart, '2026-02-01T00:00:00Z' AS BillingPeriodEnd,
    (DATE '2026-01-01' + (i % 31)::INTEGER)::VARCHAR || 'T00:00:00Z' AS ChargePeriodStart,
    (DATE '2026-01-01' + (i % 31)::INTEGER)::VARCHAR || 'T01:00:00Z' AS ChargePeriodEnd,
    'Usage' AS ChargeCategory, 'AWS' AS ProviderName, 'Compute' AS ServiceCategory, 'Amazon EC2' AS ServiceName,
    'i-' || (i % 20000)::VARCHAR AS ResourceId, 'NULL' AS Tags
  FROM range(${ROWS}) AS rows(i)`;

async function largeExport(dataDir: string): Promise<string> {
  const file = join(dataDir, 'exports', 'large.csv');
  await writeTable(file, LARGE_EXPORT);
  return file;
}

const service = withService(ENVIRONMENT);

const newSource = (admin: Api, location: string): Promise<string> =>
  create(admin, '/cost-sources', { name: 'Bill', kind: 'focus', location });

const januaryTotal = async (api: Api): Promise<number> =>
  expectData(await api.get<{ total: number }>(JANUARY)).total;

async function runOf(api: Api, source: string, runId: string): Promise<Run> {
  const run = expectPage(await api.get<Run[]>(`/cost-sources/${source}/runs`)).items.find(
    ({ run_id }) => run_id === runId,
  );
  if (run === undefined) throw new Error(`${runId} is not among the runs`);
  return run;
}

describe('a load', () => {
  let organisation: { id: string; secret: string; admin: Api };
  let source: string;
  /** The costs of another organisation that loaded the same export undisturbed, and the time of that load. */
  let undisturbed: { costs: unknown; milliseconds: number };

  beforeAll(async () => {
    const location = await largeExport(service.dataDir);
    const { admin } = await newOrganisation(service);
    const calmSource = await newSource(admin, location);
    const started = Date.now();
    expect(await ingest(admin, calmSource)).toMatchObject({ status: 'completed' });
    undisturbed = { milliseconds: Date.now() - started, costs: expectData(await admin.get(JANUARY)) };

    organisation = await newOrganisation(service);
    const small = join(service.dataDir, 'exports', 'small.csv');
    await writeFile(small, focusCsv([dayLine('2026-01-31', '100')]));
    source = await newSource(organisation.admin, small);
    await ingest(organisation.admin, source);
    expectData(await organisation.admin.patch(`/cost-sources/${source}`, { location }));
  });

  /** Starts an ingest and returns in the middle of its load. */
  const startAndReachTheMiddle = async (api: Api): Promise<string> => {
    const { run_id } = expectData(await api.post<{ run_id: string }>(`/cost-sources/${source}/ingest`, {}));
    const temporal = await openTemporal(service.dataDir);
    try {
      const handle = temporal.client.workflow.getHandle(ingestWorkflowId(organisation.id, source));
      const reading = await waitFor(async () => {
        const { raw } = await handle.describe();
        return raw.pendingActivities?.some(
          ({ attempt, lastHeartbeatTime }) => attempt === 1 && lastHeartbeatTime,
        )
          ? Date.now()
          : undefined;
      });
      const middle = Math.min(undisturbed.milliseconds / 3, 1_500);
      await waitFor(async () => (Date.now() - reading > middle ? true : undefined));
    } finally {
      await temporal.close();
    }
    expect((await runOf(api, source, run_id)).status).toBe('running');
    return run_id;
  };

  /** Watches the total until the run has ended. Returns the run and every total seen. */
  const watchToItsEnd = async (api: Api, runId: string): Promise<{ run: Run; seen: number[] }> => {
    const seen = new Set<number>();
    const run = await waitFor(async () => {
      const now = await runOf(api, source, runId);
      seen.add(await januaryTotal(api));
      return now.status === 'running' ? undefined : now;
    });
    return { run, seen: [...seen] };
  };

  it.runIf(THOROUGH)(
    'that is killed halfway finishes by itself after the restart, with exact totals and nothing partial',
    async () => {
      const runId = await startAndReachTheMiddle(organisation.admin);
      expect(await januaryTotal(organisation.admin)).toBe(100);
      await service.kill();
      await service.start();
      const admin = as(service, organisation.secret);
      expect(await januaryTotal(admin)).toBe(100);
      const { run, seen } = await watchToItsEnd(admin, runId);
      expect(run).toMatchObject({
        status: 'completed',
        rows_read: ROWS,
        rows_rejected: 0,
        cost_total: EFFECTIVE_TOTAL,
      });
      expect(seen.filter((total) => total !== 100 && total !== EFFECTIVE_TOTAL)).toEqual([]);
      expect(expectData(await admin.get(JANUARY))).toEqual(undisturbed.costs);
      expect(await januaryTotal(admin)).toBe(EFFECTIVE_TOTAL);
      expect(expectPage(await admin.get<Run[]>(`/cost-sources/${source}/runs`)).items).toHaveLength(2);
    },
  );

  it.runIf(THOROUGH)(
    'that is stopped halfway lets the process end cleanly in time, and finishes after the restart',
    async () => {
      const admin = as(service, organisation.secret);
      const options = { cost_column: 'BilledCost' };
      expectData(await admin.patch(`/cost-sources/${source}`, { options }));
      const runId = await startAndReachTheMiddle(admin);
      const stopping = Date.now();
      expect(await service.stop()).toBe(0);
      expect(Date.now() - stopping).toBeLessThan(STOP_MS);
      await service.start();
      const again = as(service, organisation.secret);
      expect([EFFECTIVE_TOTAL, BILLED_TOTAL]).toContain(await januaryTotal(again));
      const { run, seen } = await watchToItsEnd(again, runId);
      expect(run).toMatchObject({ status: 'completed', rows_read: ROWS, cost_total: BILLED_TOTAL });
      expect(seen.filter((total) => total !== EFFECTIVE_TOTAL && total !== BILLED_TOTAL)).toEqual([]);
      expect(await januaryTotal(again)).toBe(BILLED_TOTAL);
    },
  );
});

describe('a second process', () => {
  it('on the same data directory exits with the reason, and does not disturb the first', async () => {
    const { admin } = await newOrganisation(service);
    const { code, stderr } = await runCommand(['start'], { DATA_DIR: service.dataDir, PORT: '0' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/another process uses .*warehouse\.duckdb.*DATA_DIR/);
    expect(expectData(await admin.get('/health'))).toMatchObject({ status: 'ok' });
    expectError(await as(service, 'nonsense').get('/health'), 401);
  });

  it('on a port in use exits with the reason, before it makes anything', async () => {
    const dataDir = await newDataDir();
    const other = await serveFiles(new Map());
    const { port } = new URL(other.url);
    const { code, stderr } = await runCommand(['start'], { DATA_DIR: dataDir, PORT: port });
    expect(code).toBe(1);
    expect(stderr).toContain(
      `port ${port} of 127.0.0.1 is taken: stop what listens there, or choose another with --port (PORT)`,
    );
    expect(await readdir(dataDir)).toEqual([]);
    await other.close();
    await removeDataDir(dataDir);
  });
});

describe('a restart', () => {
  it.runIf(THOROUGH)('after SIGKILL serves again, even with many organisations', async () => {
    const organisations = [];
    for (let index = 0; index < 60; index++) organisations.push(await newOrganisation(service));
    await service.kill();
    await service.start();
    for (const { secret } of organisations) expectData(await as(service, secret).get('/organisation'));
  });
});

describe('values', () => {
  interface Value {
    period: string;
    value: number;
  }
  /** Returns three days of 2025 for one write. */
  const batch = (index: number): Value[] =>
    [1, 2, 3].map((month) => ({
      period: new Date(Date.UTC(2025, month, 1 + index)).toISOString().slice(0, 10),
      value: 1000 * month + index,
    }));

  it('that were acknowledged survive SIGKILL, and each write is complete or absent', async () => {
    const { secret, admin } = await newOrganisation(service);
    const path = `/metrics/${await createMetric(admin)}/values`;
    const acknowledged: number[] = [];
    const writes = Array.from({ length: 25 }, async (_, index) => {
      // After a broken connection, its write may or may not be stored.
      const answer = await admin.post(path, { values: batch(index) }).catch(() => null);
      if (answer?.status === 200) acknowledged.push(index);
    });
    await waitFor(async () => (acknowledged.length >= 3 ? true : undefined));
    await service.kill();
    await Promise.all(writes);
    await service.start();
    const { items } = expectPage(await as(service, secret).get<Value[]>(`${path}?limit=1000`));
    const stored = new Map(items.map(({ period, value }) => [period, value]));
    const whole: number[] = [];
    for (let index = 0; index < writes.length; index++) {
      const found = batch(index).map(({ period, value }) => stored.get(period) === value);
      expect([index, new Set(found).size]).toEqual([index, 1]);
      if (found[0] === true) whole.push(index);
    }
    expect(whole).toEqual(expect.arrayContaining(acknowledged));
    expect(items).toHaveLength(3 * whole.length);
  });

  it('under way at SIGTERM are stored and answered before the process ends', async () => {
    const { secret, admin } = await newOrganisation(service);
    const path = `/metrics/${await createMetric(admin)}/values`;
    // Thousands of items, so that a write takes a while.
    const values = Array.from({ length: 9_000 }, (_, index) => ({
      period: new Date(Date.UTC(2001, 0, 1 + index)).toISOString().slice(0, 10),
      value: index,
    }));
    let answered = 0;
    const writes = Array.from({ length: 12 }, async (_, write) => {
      const answer = await admin.post(path, {
        values: values.map(({ period, value }) => ({ period, value: value + write })),
      });
      answered += 1;
      return answer.status;
    });
    await waitFor(async () => (answered > 0 ? true : undefined));
    const stopped = service.stop();
    expect(await Promise.all(writes)).toEqual(writes.map(() => 200));
    // The client keeps its connections open. They must not delay the end once they are answered.
    const late = setTimeout(() => void service.kill(), STOP_MS);
    expect(await stopped).toBe(0);
    clearTimeout(late);
    await service.start();
    const history = await as(service, secret).get<Value[]>(
      `${path.replace('/values', '/history')}?limit=1000`,
    );
    expect(expectPage(history).items).toHaveLength(1000);
  });
});
