import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoEnvironment } from '../../bin/demo/demo.ts';
import { readSettings } from '../../bin/settings.ts';
import { newDataDir, removeDataDir, runCommand } from '../support/service-process.ts';
import { costByMonth, DOLLAR, readLines, rounded, unitsOf, type Line } from './export-sums.ts';

const CLOCK = '2026-02-07T06:00:00Z';
const TODAY = CLOCK.slice(0, 10);

/** A row of a printed table, its cells as they stand there. */
interface Row {
  month: string;
  cost: string;
  value: string;
  unitCost: string;
  status: string;
}

const ROW =
  /^ {2}(\d{4}-\d\d) +(?<cost>[\d,.]+) +(?<value>[\d,.]+|-) +(?<unit>[\d,.]+|-) +(?:[+-]?[\d.]+ %|-) {2}(?<status>.*)$/;

/** The printed tables by their metric's name. */
const tablesOf = (stdout: string): Map<string, Row[]> => {
  const tables = new Map<string, Row[]>();
  let rows: Row[] = [];
  for (const line of stdout.split('\n')) {
    const title = /^(.+) \((daily|monthly), (total|average)\): /.exec(line)?.[1];
    if (title !== undefined) tables.set(title, (rows = []));
    const cells = ROW.exec(line);
    if (cells === null) continue;
    const { cost = '', value = '', unit = '', status = '' } = cells.groups ?? {};
    rows.push({
      month: cells[1] ?? '',
      cost: cost.replaceAll(',', ''),
      value: value.replaceAll(',', ''),
      unitCost: unit.replaceAll(',', ''),
      status,
    });
  }
  return tables;
};

const keyOf = (stdout: string): string | undefined =>
  /^admin key {2}(ca_[0-9a-f]{32}_[\w-]{43})$/m.exec(stdout)?.[1];

describe('cost-analytics demo --exit', () => {
  let dataDir: string;
  let first: Awaited<ReturnType<typeof runCommand>>;
  let lines: Line[];

  const run = () => runCommand(['demo', '--data', dataDir, '--port', '0', '--exit'], { CLOCK });

  beforeAll(async () => {
    dataDir = await newDataDir();
    first = await run();
    lines = readLines(join(dataDir, 'exports', 'demo'));
  });
  afterAll(() => removeDataDir(dataDir));

  test('ends well, and has said where it served and with which key', () => {
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+$/m);
    expect(keyOf(first.stdout)).toBeDefined();
    expect(first.stdout).toMatch(/^ {2}curl .*\/months\/2026-01\/lock"$/m);
  });

  test('shows twelve months of each metric, in every state that a month can have', () => {
    const tables = tablesOf(first.stdout);
    expect([...tables.keys()]).toEqual(['Orders', 'Active customers', 'API requests']);
    for (const rows of tables.values()) {
      expect(rows.map(({ month }) => month)).toEqual([
        ...['2026-02', '2026-01', '2025-12', '2025-11', '2025-10', '2025-09'],
        ...['2025-08', '2025-07', '2025-06', '2025-05', '2025-04', '2025-03'],
      ]);
    }
    const states = (name: string) =>
      tables.get(name)?.map(({ status }) => status.replace(/ - above target$/, ''));
    expect(states('Orders')).toEqual([
      'open: the month has not ended',
      'ready_to_lock',
      'locked v1',
      expect.stringMatching(/^changed_since_lock v1 \(now 0\.\d{4}\)$/),
      'locked v1',
      'locked v2',
      ...Array.from({ length: 6 }, () => 'locked v1'),
    ]);
    expect(states('API requests')?.slice(0, 3)).toEqual([
      'open: the month has not ended; no value has been recorded for 2026-02',
      'ready_to_lock',
      'locked v1',
    ]);
  });

  test('every printed cost and unit cost is what the exports add up to', () => {
    const costs = costByMonth(lines, TODAY);
    for (const [name, rows] of tablesOf(first.stdout)) {
      for (const { month, cost, value, unitCost } of rows) {
        const exact = costs.get(month) ?? 0n;
        expect(cost, `${name} ${month}`).toBe(rounded(exact, DOLLAR, 2));
        // The printed mean of an average is rounded, so that only sums can be divided again.
        if (value === '-' || name === 'Active customers') continue;
        expect(unitCost, `${name} ${month}`).toBe(rounded(exact, unitsOf(value), 4));
      }
    }
  });

  test('the bills have what real bills have', () => {
    const inJanuary = lines.filter(({ BillingPeriodStart }) => BillingPeriodStart === '2026-01-01T00:00:00Z');
    const sum = (column: string, chosen: (line: Line) => boolean): bigint =>
      inJanuary.filter(chosen).reduce((total, line) => total + unitsOf(line[column] ?? ''), 0n);
    const ofPlan = (line: Line): boolean => line['CommitmentDiscountId'] !== '';
    expect(sum('BilledCost', ofPlan)).toBe(unitsOf('3124.8'));
    expect(sum('EffectiveCost', ofPlan)).toBe(unitsOf('3124.8'));
    expect(sum('EffectiveCost', (line) => line['ChargeCategory'] === 'Purchase' && ofPlan(line))).toBe(0n);
    expect(sum('BilledCost', (line) => line['ChargeCategory'] === 'Credit')).toBeLessThan(0n);
    expect(inJanuary.filter((line) => line['ChargePeriodStart'] === '2025-12-31T23:00:00Z')).toHaveLength(1);
    expect(new Set(lines.map((line) => line['ProviderName']))).toEqual(
      new Set(['AWS', 'Microsoft', 'Google Cloud']),
    );
    expect(new Set(lines.map((line) => line['x_ResourceGroupName']))).toContain('rg-recommend');
    expect(new Set(lines.map((line) => line['BillingPeriodStart'])).size).toBe(13);
  });

  test('run again, it goes on with the same organisation and writes the same bills', async () => {
    const second = await run();
    expect(second.code, second.stderr).toBe(0);
    expect(keyOf(second.stdout)).toBe(keyOf(first.stdout));
    expect(tablesOf(second.stdout)).toEqual(tablesOf(first.stdout));
    expect(readLines(join(dataDir, 'exports', 'demo'))).toEqual(lines);
  }, 120_000);
});

test('a taken port is told at once, with the way out', async () => {
  const holder = createServer();
  await new Promise<void>((listening) => {
    holder.listen(0, '127.0.0.1', listening);
  });
  const { port } = holder.address() as AddressInfo;
  const dataDir = await newDataDir();
  const { code, stderr } = await runCommand(['demo', '--data', dataDir, '--port', `${port}`, '--exit'], {});
  holder.close();
  await removeDataDir(dataDir);
  expect(code).toBe(1);
  expect(stderr).toContain(
    `port ${port} of 127.0.0.1 is taken: stop what listens there, or choose another with --port`,
  );
});

test('stays away from the real data directory, warehouse and Temporal', () => {
  const real = {
    DATA_DIR: '/srv/real',
    WAREHOUSE: 'ducklake:postgres:dbname=real',
    WAREHOUSE_DATA: 's3://real/lake',
    TEMPORAL_ADDRESS: 'temporal.example.com:7233',
    TEMPORAL_NAMESPACE: 'real',
    SOURCE_ROOTS: '/srv/bills',
  };
  expect(readSettings(demoEnvironment(real, undefined))).toMatchObject({
    dataDir: '/srv/real/demo',
    warehouse: '/srv/real/demo/warehouse.duckdb',
    WAREHOUSE_DATA: null,
    TEMPORAL_ADDRESS: null,
    TEMPORAL_NAMESPACE: 'default',
    sourceRoots: expect.arrayContaining(['/srv/real/demo/exports']) as unknown,
  });
  expect(readSettings(demoEnvironment(real, '/srv/chosen')).dataDir).toBe('/srv/chosen');
});
