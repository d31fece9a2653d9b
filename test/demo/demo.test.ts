import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoEnvironment } from '../../bin/demo/demo.ts';
import { readSettings } from '../../bin/settings.ts';
import { newDataDir, removeDataDir, runCommand } from '../support/service-process.ts';
import { checkoutsCosts, organisationCosts, readExports, storesCosts, type Exports } from './counted-sums.ts';
import { DOLLAR, rounded, unitsOf, type Line } from './export-sums.ts';

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
  /^ {2}(\d{4}-\d\d) +(?<cost>[\d,.]+|-) +(?<value>[\d,.]+|-) +(?<unit>[\d,.]+|-) +(?:[+-]?[\d.]+ %|-) {2}(?<status>.*)$/;

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

/** What is printed of the restated month: `/costs` as it is now, and what a metric was locked with. */
const restatedOf = (stdout: string): { month: string; now: string; locked: string } | undefined => {
  const found = /^ {2}(\d{4}-\d\d) {2}\/costs now +([\d,.]+)\n {2}\1 {2}Orders, locked v1 +([\d,.]+)$/m.exec(
    stdout,
  );
  if (found === null) return undefined;
  const [, month = '', now = '', locked = ''] = found;
  return { month, now: now.replaceAll(',', ''), locked: locked.replaceAll(',', '') };
};

const keyOf = (stdout: string): string | undefined =>
  /^admin key {2}(ca_[0-9a-f]{32}_[\w-]{43})$/m.exec(stdout)?.[1];

/** An exact quotient as the demo prints it: the API answers with six decimals, the table shows fewer. */
const printed = (dividend: bigint, divisor: bigint, decimals: number): string =>
  rounded(unitsOf(rounded(dividend, divisor, 6)), DOLLAR, decimals);

const isCorrection = (line: Line): boolean =>
  line['ChargeDescription'] === 'Correction of data transfer prices';

describe('cost-analytics demo --exit', () => {
  let dataDir: string;
  let first: Awaited<ReturnType<typeof runCommand>>;
  let exports: Exports;
  /** The exports as they were before a month was restated. */
  let original: Exports;

  const run = () => runCommand(['demo', '--data', dataDir, '--port', '0', '--exit'], { CLOCK });

  beforeAll(async () => {
    dataDir = await newDataDir();
    first = await run();
    exports = readExports(join(dataDir, 'exports', 'demo'));
    original = { ...exports, bills: exports.bills.filter((line) => !isCorrection(line)) };
  });
  afterAll(() => removeDataDir(dataDir));

  test('ends well, and has said where it served and with which key', () => {
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+$/m);
    expect(keyOf(first.stdout)).toBeDefined();
    expect(first.stdout).toMatch(/^ {2}curl .*\/months\/2026-01\/lock"$/m);
    expect(first.stdout).toMatch(/^ {2}curl .*\/months\?by=label"$/m);
    expect(first.stdout).toMatch(/^ {2}curl .*\/costs\/breakdown\?.*&group_by=cluster,namespace"$/m);
  });

  test('shows twelve months of each metric, in every state that a month can have', () => {
    const tables = tablesOf(first.stdout);
    expect([...tables.keys()]).toEqual([
      ...['Orders', 'Active customers', 'API requests', 'Checkouts', 'Open stores', 'Payments'],
    ]);
    for (const [name, rows] of tables) {
      if (name === 'Payments') continue;
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
    const organisation = organisationCosts(original, TODAY);
    const picked = new Map([
      ['Checkouts', checkoutsCosts(original, TODAY)],
      ['Open stores', storesCosts(original)],
    ]);
    for (const [name, rows] of tablesOf(first.stdout)) {
      if (name === 'Payments') continue;
      for (const { month, cost, value, unitCost } of rows) {
        const exact = (picked.get(name) ?? organisation).get(month) ?? 0n;
        expect(cost, `${name} ${month}`).toBe(printed(exact, DOLLAR, 2));
        // The printed mean of an average is rounded, so that only sums can be divided again, and means of one value.
        if (value === '-' || name === 'Active customers') continue;
        expect(unitCost, `${name} ${month}`).toBe(printed(exact, unitsOf(value), 4));
      }
    }
  });

  test('months before a tag was first picked are partial, the running one too, and say why', () => {
    const [running, ...others] = tablesOf(first.stdout).get('Payments') ?? [];
    expect(running).toMatchObject({
      month: '2026-02',
      status:
        'partial: tag key "team" of aws is collected from 2026-02-07 on: earlier days of 2026-02 have no such spend, and never will',
    });
    expect(others).toEqual([]);
    expect(first.stdout).toContain('\n  2025-03 to 2026-01: partial too, and never to be locked\n');
  });

  test('a restated month moves what was spent, and no locked month', () => {
    const corrections = exports.bills.filter(isCorrection);
    expect(corrections).toMatchObject([{ ChargePeriodStart: '2025-10-31T00:00:00Z' }]);
    const spent = (of: Exports): string =>
      printed(organisationCosts(of, TODAY).get('2025-10') ?? 0n, DOLLAR, 2);
    expect(restatedOf(first.stdout)).toEqual({
      month: '2025-10',
      now: spent(exports),
      locked: spent(original),
    });
    expect(spent(exports)).not.toBe(spent(original));
  });

  test('what the cluster and the host report is what the bill has under other ids, and a little cheaper', () => {
    const ids = (lines: readonly Line[], column: string) => new Set(lines.map((line) => line[column] ?? ''));
    const billed = [...ids(exports.bills, 'ResourceId')];
    const known = [...ids(exports.prodAssets, 'provider_id'), ...ids(exports.hosts, 'machine_id')];
    expect(known).toEqual([
      ...['i-0c10000000000001', 'i-0c10000000000002', 'vol-0c10000000000001', 'i-0db0000000000001', ''],
    ]);
    for (const id of known.filter((each) => each !== '')) {
      expect(billed.filter((each) => each.endsWith(`/${id}`))).toHaveLength(1);
    }
    const sum = (lines: readonly Line[], column: string): bigint =>
      lines.reduce((total, line) => total + unitsOf(line[column] ?? ''), 0n);
    expect(sum(exports.prod, 'TotalCost')).toBe(sum(exports.prodAssets, 'cost'));
    for (const line of [...exports.prod, ...exports.edge, ...exports.hosts]) {
      expect(unitsOf(line['TotalCost'] ?? line['cost'] ?? '')).toBeGreaterThan(0n);
    }
    const used = ids(exports.aiUsage, 'day');
    expect([...ids(exports.aiSpend, 'day')].filter((day) => !used.has(day)).slice(-2)).toEqual([
      '2026-01-31',
      '2026-02-01',
    ]);
  });

  test('the bills have what real bills have', () => {
    const lines = exports.bills;
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

  test('run again, it goes on with the same organisation and writes the same exports', async () => {
    const second = await run();
    expect(second.code, second.stderr).toBe(0);
    expect(keyOf(second.stdout)).toBe(keyOf(first.stdout));
    expect(tablesOf(second.stdout)).toEqual(tablesOf(first.stdout));
    expect(restatedOf(second.stdout)).toEqual(restatedOf(first.stdout));
    expect(second.stdout).not.toContain('restates its bill');
    expect(second.stdout.match(/ months ingested$/gm)).toHaveLength(7);
    expect(readExports(join(dataDir, 'exports', 'demo'))).toEqual(exports);
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
