import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoEnvironment } from '../../demo/demo.ts';
import { signIn } from '../../demo/organisation/client.ts';
import { salesLedger } from '../../demo/organisation/sales-ledger.ts';
import { importSales, startSampleStripe } from '../../demo/organisation/sales.ts';
import { GATEWAY_CALLS } from '../../demo/organisation/sample-shop.ts';
import { valuesOf } from '../../demo/organisation/values.ts';
import { monthsBack } from '../../domain/shared/calendar.ts';
import { readSettings } from '../../bin/settings/settings.ts';
import { mayReach } from '../../egress/requests/private-targets.ts';
import { as, type Api } from '../support/service/api-client.ts';
import { folderWithPrograms } from '../temporal/cli/fake-programs.ts';
import { THOROUGH } from '../support/effort.ts';
import { expectData, expectError, expectPage } from '../support/service/envelope.ts';
import type { Import } from '../support/service/imports.ts';
import { newDataDir, removeDataDir, runCommand, startService } from '../support/service/service-process.ts';
import { checkoutsCosts, organisationCosts, readExports, storesCosts, type Exports } from './counted-sums.ts';
import { DOLLAR, rounded, unitsOf, type Line } from './export-sums.ts';
import { printedBills, printedParts } from './printed-bills.ts';
import { printedRevenue, salesSums } from './sales-sums.ts';
import { expectedBills, teamSums, type Calls, type TeamSums } from './team-sums.ts';

const CLOCK = '2026-02-07T06:00:00Z';
const TODAY = CLOCK.slice(0, 10);
/** The months and days that the demo shows. */
const SAMPLE_TIME = { months: monthsBack('2026-02', 13).reverse(), through: '2026-02-06' };

/** A row of a printed table, with its cells as printed. */
interface Row {
  month: string;
  cost: string;
  value: string;
  unitCost: string;
  status: string;
}

const ROW =
  /^ {2}(\d{4}-\d\d) +(?<cost>[\d,.]+|-) +(?<value>[\d,.]+|-) +(?<unit>[\d,.]+|-) +(?:[+-]?[\d.]+ %|-) {2}(?<status>.*)$/;

/** Returns the printed tables by the names of their metrics. */
function tablesOf(stdout: string): Map<string, Row[]> {
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
}

/** Returns the printed lines on the restated month: `/costs` today, and the cost with which a metric was locked. */
function restatedOf(stdout: string): { month: string; now: string; locked: string } | undefined {
  const found = /^ {2}(\d{4}-\d\d) {2}\/costs now +([\d,.]+)\n {2}\1 {2}Orders, locked v1 +([\d,.]+)$/m.exec(
    stdout,
  );
  if (found === null) return undefined;
  const [, month = '', now = '', locked = ''] = found;
  return { month, now: now.replaceAll(',', ''), locked: locked.replaceAll(',', '') };
}

const keyOf = (stdout: string): string | undefined =>
  /^admin key {2}(ca_[0-9a-f]{32}_[\w-]{43})$/m.exec(stdout)?.[1];

/** Returns an exact quotient as the demo prints it: the API returns six decimals, the table shows fewer. */
const printed = (dividend: bigint, divisor: bigint, decimals: number): string =>
  rounded(unitsOf(rounded(dividend, divisor, 6)), DOLLAR, decimals);

/** Returns the values that split a month's platform: as recorded, but in November as corrected after the seal. */
function callsOf(month: string): Calls {
  const values = valuesOf(GATEWAY_CALLS, { months: [month], through: TODAY });
  const callsBy = (caller: string): bigint =>
    BigInt(values.find(({ label }) => label === caller)?.value ?? 0);
  const checkout = month === '2025-11' ? 950n : callsBy('checkout');
  return { checkout, search: callsBy('search'), partners: callsBy('partners') };
}

/** Returns the bills of a month after the first run. Two months have no values to split by. */
const billsOf = (sums: TeamSums, month: string) =>
  expectedBills(sums, month, month >= '2026-01' ? null : callsOf(month));

/** Returns the printed event: the month that went above its target, and how the event arrived. */
const printedEvent = (stdout: string) =>
  new RegExp(
    '^ {2}unit_cost\\.changed above_target: Searches (?<month>\\d{4}-\\d\\d), (?<unitCost>[\\d.]+) USD per thousand searches, ' +
      'target (?<target>[\\d.]+)\n {2}(?<id>evt_[0-9a-f]{32}) (?<how>.+)$',
    'm',
  ).exec(stdout)?.groups;

const isCorrection = (line: Line): boolean =>
  line['ChargeDescription'] === 'Correction of data transfer prices';

describe('cost-analytics demo --exit', () => {
  let dataDir: string;
  let first: Awaited<ReturnType<typeof runCommand>>;
  let second: typeof first;
  let exports: Exports;
  let digests: Map<string, string>;
  /** The exports as they were before a month was restated. */
  let original: Exports;
  let sums: TeamSums;

  /** Reads the exports in the folder of the demo's only organisation. */
  const readSampleExports = async (): Promise<Exports> => {
    const folders = await readdir(join(dataDir, 'exports'));
    expect(folders).toEqual([expect.stringMatching(/^org_/)]);
    return readExports(join(dataDir, 'exports', ...folders));
  };
  /** Returns a digest of each export by its path. */
  const digestsOfExports = async (): Promise<Map<string, string>> => {
    const digests = new Map<string, string>();
    for (const entry of await readdir(join(dataDir, 'exports'), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const content = await readFile(path);
      digests.set(path, createHash('sha256').update(content).digest('hex'));
    }
    return digests;
  };
  const run = () => runCommand(['demo', '--data', dataDir, '--port', '0', '--exit'], { CLOCK });

  beforeAll(async () => {
    dataDir = await newDataDir();
    first = await run();
    exports = await readSampleExports();
    digests = await digestsOfExports();
    original = { ...exports, bills: exports.bills.filter((line) => !isCorrection(line)) };
    // Bills seal before the month is restated.
    sums = teamSums(original, TODAY);
  });
  afterAll(() => removeDataDir(dataDir));

  test('exits with 0, and prints its address, its key and what to try next', () => {
    expect(first.code, first.stderr).toBe(0);
    expect(first.stdout).toMatch(/^ready http:\/\/127\.0\.0\.1:\d+$/m);
    expect(keyOf(first.stdout)).toBeDefined();
    expect(first.stdout).toMatch(/^ {2}curl .*\/months\/2026-01\/lock"$/m);
    expect(first.stdout).toMatch(/^ {2}curl .*\/months\?by=label"$/m);
    expect(first.stdout).toMatch(/^ {2}curl .*\/import\/run"$/m);
    expect(first.stdout).toMatch(/^ {2}curl .*"get_metric_months".* "\$\{API%\/api\/v1\}\/mcp"$/m);
    expect(first.stdout).toMatch(/^ {2}curl .*\/costs\/breakdown\?.*&group_by=cluster,namespace"$/m);
  });

  test('ends with the address of the page, the key, how to sign in and how to stop', () => {
    const [url] = /(?<=^ready )http.*$/m.exec(first.stdout) ?? [];
    expect(first.stdout.trimEnd().split('\n').slice(-5)).toEqual([
      `ready ${url}`,
      `page       ${url}`,
      `admin key  ${keyOf(first.stdout)}`,
      'sign in    open the page, and enter the admin key',
      'stop       the demo ends now; without --exit it continues with the same organisation',
    ]);
  });

  test('prints twelve months of each metric, in every state of a month', () => {
    const tables = tablesOf(first.stdout);
    expect([...tables.keys()]).toEqual([
      ...['Orders', 'Active customers', 'API requests', 'Checkouts', 'Open stores', 'Payments', 'Searches'],
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
      'open: the month has not ended (change of the same days)',
      'ready_to_lock',
      'locked v1',
      expect.stringMatching(/^changed_since_lock v1 \(now 0\.\d{4}\)$/),
      'locked v1',
      'locked v2',
      ...Array.from({ length: 6 }, () => 'locked v1'),
    ]);
    expect(states('Searches')?.slice(0, 5)).toEqual([
      'open: the month has not ended; no value has been recorded for 2026-02',
      'open: metric "Gateway calls", by which a shared cost is split, has no value for 2026-01',
      'ready_to_lock',
      'locked v1',
      'ready_to_lock',
    ]);
    expect(states('API requests')?.slice(0, 3)).toEqual([
      'open: the month has not ended; no value has been recorded for 2026-02',
      'ready_to_lock',
      'locked v1',
    ]);
  });

  test('prints a unit cost before the bills are ingested, the same as in its table at the end', () => {
    const lines = first.stdout.split('\n');
    const at = lines.findIndex((line) => line.startsWith('First unit cost: '));
    const month = tablesOf(first.stdout)
      .get('Open stores')
      ?.find((row) => row.month === '2026-01');
    expect(month?.cost).toBe(printed(storesCosts(original).get('2026-01') ?? 0n, DOLLAR, 2));
    expect(lines[at]).toBe(
      `First unit cost: Open stores of 2026-01, ${Number(month?.cost)} USD / ${month?.value} = ${month?.unitCost} USD per store`,
    );
    const ended = lines.slice(0, at).filter((line) => line.endsWith(' months ingested'));
    expect(ended.map((line) => line.split(':')[0]).sort()).toEqual(['  Cluster edge', '  Cluster prod']);
  });

  test('prints costs and unit costs that the exports add up to', () => {
    const organisation = organisationCosts(original, TODAY);
    const picked = new Map([
      ['Checkouts', checkoutsCosts(original, TODAY)],
      ['Open stores', storesCosts(original)],
    ]);
    for (const [name, rows] of tablesOf(first.stdout)) {
      if (name === 'Payments') continue;
      for (const { month, cost, value, unitCost } of rows) {
        const exact =
          name === 'Searches'
            ? billsOf(sums, month).Search.fullyLoaded
            : ((picked.get(name) ?? organisation).get(month) ?? 0n);
        expect(cost, `${name} ${month}`).toBe(printed(exact, DOLLAR, 2));
        // Printed means are rounded. Only sums, and means of one value, can be divided again.
        if (value === '-' || name === 'Active customers') continue;
        expect(unitCost, `${name} ${month}`).toBe(printed(exact, unitsOf(value), 4));
      }
    }
  });

  test('prints revenue that the ledger adds up to, beside the costs of the exports', () => {
    const { months, euros, transactions } = salesSums(salesLedger(SAMPLE_TIME), '2025-03-01');
    const costs = organisationCosts(original, TODAY);
    const CENT = DOLLAR / 100n;
    const rows = printedRevenue(first.stdout);
    expect(rows.map(({ month }) => month)).toEqual([...months.keys()]);
    for (const { month, cost, revenue, share, margin, marginPercent } of rows) {
      const exact = costs.get(month) ?? 0n;
      const cents = months.get(month) ?? 0n;
      const left = cents * CENT - exact;
      expect({ month, cost, revenue, share, margin, marginPercent }).toEqual({
        month,
        cost: printed(exact, DOLLAR, 2),
        revenue: printed(cents, 100n, 2),
        share: printed(exact * 100n, cents * CENT, 2),
        margin: printed(left, DOLLAR, 2),
        marginPercent: printed(left * 100n, cents * CENT, 2),
      });
    }
    const above = rows.filter(({ status }) => status.endsWith(' - above target'));
    expect(above.map(({ month }) => month)).toEqual(['2025-07']);
    expect(rows.slice(0, 3).map(({ status }) => status)).toEqual([
      'open: the month has not ended (change of the same days)',
      'ready_to_lock',
      'locked v1',
    ]);
    const count = transactions.toLocaleString('en-US');
    const euroText = (Number(euros) / 100).toLocaleString('en-US', { minimumFractionDigits: 2 });
    expect(first.stdout).toContain(`\n  Sales: ${count} transactions imported\n`);
    expect(first.stdout).toContain(
      [
        '',
        '  import from Stripe: connected, next run 2026-02-08T05:45:00.000Z',
        `  last run completed: ${count} transactions from 2025-03-01 to 2026-02-07, 343 days changed`,
        `  sales in other currencies do not count: ${euroText} EUR`,
        // 15.00 on the 5th of each month.
        '  categories that do not count: other_adjustment (12 transactions, 180.00 USD)',
        '  transactions of the category other_adjustment were not counted (12), because it is not known whether they are sales',
        '  only admins see this; other keys get the id, name and kind of the metric',
        '',
      ].join('\n'),
    );
  });

  test('prints months before the first pick of a tag, and the running one, as partial with a reason', () => {
    const [running, ...others] = tablesOf(first.stdout).get('Payments') ?? [];
    expect(running).toMatchObject({
      month: '2026-02',
      status:
        'partial: tag key "team" of aws is collected from 2026-02-07 on: earlier days of 2026-02 have no such spend, and never will',
    });
    expect(others).toEqual([]);
    expect(first.stdout).toContain('\n  2025-03 to 2026-01: partial too, and never to be locked\n');
  });

  test('prints the changed spend of a restated month beside its unchanged lock', () => {
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

  test('prints bills that the exports add up to, and that make the total with unallocated', () => {
    const months = printedBills(first.stdout);
    expect(months.map(({ month, teams }) => [month, teams['Shop']?.status, teams['Search']?.status])).toEqual(
      [
        [
          '2026-02',
          'estimate: the month has not ended; metric "Gateway calls", by which a shared cost is split, has no value for 2026-02',
          'estimate',
        ],
        [
          '2026-01',
          'waiting: metric "Gateway calls", by which a shared cost is split, has no value for 2026-01',
          'waiting',
        ],
        ['2025-12', 'sealed v1, follows today', 'sealed v1, follows today'],
        // Sealed by backfill, by hand, and by a corrected value.
        ['2025-11', 'sealed v3, values changed', 'sealed v3, values changed'],
      ],
    );
    const dollars = (units: bigint): string => printed(units, DOLLAR, 2);
    const totals = organisationCosts(exports, TODAY);
    for (const { month, teams, unallocated, total } of months) {
      const expected = billsOf(sums, month);
      for (const team of ['Shop', 'Search'] as const) {
        const { direct, shared, fullyLoaded } = expected[team];
        expect(teams[team], `${team} ${month}`).toMatchObject({
          direct: dollars(direct),
          shared: dollars(shared),
          fullyLoaded: dollars(fullyLoaded),
        });
      }
      const whole = totals.get(month) ?? 0n;
      expect(total).toBe(dollars(whole));
      expect(unallocated).toBe(dollars(whole - expected.Shop.fullyLoaded - expected.Search.fullyLoaded));
    }
  });

  test('says that months loaded late follow today until an admin reseals them', () => {
    expect(first.stdout).toContain('follows today: loaded late, so it moves with spend and teams until');
    expect(first.stdout).toMatch(
      /^ {2}curl -s -X POST .*"reason":.* "\$API\/teams\/bills\/2025-12\/reseal"$/m,
    );
  });

  test('splits shared costs evenly, by percents, and by values of which some belong to no team', () => {
    const { Shop, Search } = billsOf(sums, '2025-12');
    const both = (cost: 'staging' | 'data' | 'platform') =>
      [Shop.parts[cost], Search.parts[cost]].map((units) => printed(units, DOLLAR, 2));
    expect(first.stdout).toContain('\nShared costs of 2025-12, each team');
    expect(printedParts(first.stdout, 'Staging and logs')).toEqual(both('staging'));
    expect(printedParts(first.stdout, 'Data platform')).toEqual(both('data'));
    expect(printedParts(first.stdout, 'Shop platform')).toEqual(both('platform'));
  });

  test('receives a signed event for a month of the team’s metric above its target', () => {
    const event = printedEvent(first.stdout);
    expect(event?.['how']).toBe('received, signature verified');
    const rows = tablesOf(first.stdout).get('Searches') ?? [];
    const above = rows.filter(({ status }) => status.endsWith('above target'));
    // A new target raises an event for the newest complete month only, although other months are above it too.
    const newest = rows.find(({ status }) => !status.startsWith('open'));
    expect(event?.['month']).toBe(newest?.month);
    const unitCost = unitsOf(event?.['unitCost'] ?? '');
    expect(rounded(unitCost, DOLLAR, 4)).toBe(newest?.unitCost);
    const target = unitsOf(event?.['target'] ?? '');
    const dearer = rows.filter(({ unitCost: shown }) => shown !== '-' && unitsOf(shown) > target);
    expect(above.map(({ month }) => month)).toEqual(dearer.map(({ month }) => month));
  });

  test('has assets of clusters and hosts that are on the bill under longer ids', () => {
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

  test('has bills with a commitment, credits, and a charge from the month before, like real bills', () => {
    const lines = exports.bills;
    const inJanuary = lines.filter(({ BillingPeriodStart }) => BillingPeriodStart === '2026-01-01T00:00:00Z');
    const sum = (column: string, chosen: (line: Line) => boolean): bigint =>
      inJanuary.filter(chosen).reduce((total, line) => total + unitsOf(line[column] ?? ''), 0n);
    const ofPlan = (line: Line): boolean => Boolean(line['CommitmentDiscountId']);
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

  test.runIf(THOROUGH)(
    'continues with the same organisation and writes the same exports if it runs again',
    async () => {
      second = await run();
      expect(second.code, second.stderr).toBe(0);
      expect(keyOf(second.stdout)).toBe(keyOf(first.stdout));
      expect(tablesOf(second.stdout)).toEqual(tablesOf(first.stdout));
      expect(restatedOf(second.stdout)).toEqual(restatedOf(first.stdout));
      expect(printedRevenue(second.stdout)).toEqual(printedRevenue(first.stdout));
      expect(second.stdout).toMatch(
        /\n {2}last run completed: .* from 2026-01-01 to 2026-02-07, 0 days changed\n/,
      );
      expect(second.stdout).not.toContain('restates its bill');
      expect(second.stdout.match(/ months ingested$/gm)).toHaveLength(7);
      expect(await digestsOfExports()).toEqual(digests);
      expect(printedBills(second.stdout)).toEqual(printedBills(first.stdout));
      expect(printedEvent(second.stdout)).toEqual({
        ...printedEvent(first.stdout),
        how: 'was received in an earlier run',
      });
    },
    240_000,
  );

  describe('the organisation of the demo', () => {
    let service: Awaited<ReturnType<typeof startService>>;
    let stripe: Awaited<ReturnType<typeof startSampleStripe>>;
    let admin: Api;
    beforeAll(async () => {
      stripe = await startSampleStripe(SAMPLE_TIME);
      const STRIPE_API_BASE = `http://127.0.0.1:${stripe.base.port}`;
      service = await startService({ dataDir, environment: { CLOCK, STRIPE_API_BASE } });
      admin = as(service, keyOf(first.stdout) ?? '');
    });
    afterAll(async () => {
      await service.stop();
      await stripe.close();
    });

    const list = async <Item>(path: string) => expectPage(await admin.get<Item[]>(path)).items;

    test.runIf(THOROUGH)('exists once after two runs', async () => {
      const names = async (path: string) => (await list<{ name: string }>(path)).map(({ name }) => name);
      expect(await names('/teams')).toEqual(['Shop', 'Search']);
      expect(await names('/shared-costs')).toEqual(['Staging and logs', 'Data platform', 'Shop platform']);
      expect((await names('/metrics')).sort()).toEqual([
        ...['API requests', 'Active customers', 'Checkouts', 'Gateway calls'],
        ...['Open stores', 'Orders', 'Payments', 'Sales', 'Searches'],
      ]);
      const [webhook, ...others] = await list<{ id: string; url: string }>('/webhooks');
      // Each run listens on another port.
      expect(second.stdout).toContain(`\nWebhook to ${webhook?.url ?? ''}: `);
      expect(first.stdout).not.toContain(webhook?.url);
      expect(others).toEqual([]);
      const subjects = await list<{ subject: string }>(`/webhooks/${webhook?.id ?? ''}/deliveries`);
      expect(subjects.filter(({ subject }) => subject.endsWith('/above_target')).length).toBeGreaterThan(0);
      expect(new Set(subjects.map(({ subject }) => subject)).size).toBe(subjects.length);
    });

    test('imports sales again in the next run, from a server on another port', async () => {
      const sales = (await list<{ id: string; name: string }>('/metrics')).find(
        ({ name }) => name === 'Sales',
      );
      if (sales === undefined) throw new Error('expected the metric Sales');
      const path = `/metrics/${sales.id}`;
      const demo = await signIn(service.url, dataDir, '');
      const said: string[] = [];
      await importSales(demo.admin, sales, (line) => said.push(line));
      const { transactions } = salesSums(salesLedger(SAMPLE_TIME), '2026-01-01');
      expect(said).toEqual([`  Sales: ${transactions} transactions imported`]);
      expect(expectData(await admin.get<Import>(`${path}/import`))).toMatchObject({
        type: 'stripe',
        status: 'connected',
        last_run: { status: 'completed', rows: transactions, changed: 0, error: null },
      });
      const reader = { name: 'Reader', permission: 'read' };
      const { secret } = expectData(await admin.post<{ secret: string }>('/keys', reader));
      const others = as(service, secret);
      expect(expectData(await others.get(path))).toEqual({ id: sales.id, name: 'Sales', kind: 'revenue' });
      expectError(await others.get(`${path}/import`), 403);
      // A user who disconnects the metric keeps its values, and the demo does not connect it again.
      expectData(await admin.delete(`${path}/import`));
      await importSales(demo.admin, sales, (line) => said.push(line));
      expect(said).toHaveLength(1);
      expectError(await admin.get(`${path}/import`), 404);
    });

    test('seals the waiting month after the values of the printed request', async () => {
      const sent = /-d '(\{"values":.+\})' "\$API(\/metrics\/met_\w+\/values)"/g;
      const [body = '', path = ''] =
        [...first.stdout.matchAll(sent)]
          .map(([, ...parts]) => parts)
          .find(([values = '']) => values.includes('"label"')) ?? [];
      expectData(await admin.post(path, JSON.parse(body)));
      const [shop] = await list<{ id: string }>('/teams');
      const bills = expectData(
        await admin.get<{ month: string; status: string; version: number; shared: number }[]>(
          `/teams/${shop?.id ?? ''}/bills`,
        ),
      );
      const expected = expectedBills(sums, '2026-01', callsOf('2026-01'));
      expect(bills.find(({ month }) => month === '2026-01')).toMatchObject({
        status: 'sealed',
        version: 1,
        waiting_for: [],
        shared: Number(rounded(expected.Shop.shared, DOLLAR, 6)),
      });
    });
  });
});

test('cost-analytics demo reports a taken port at once, says how to choose another, and makes nothing', async () => {
  const holder = createServer();
  await new Promise<void>((listening) => {
    holder.listen(0, '127.0.0.1', listening);
  });
  const { port } = holder.address() as AddressInfo;
  const folder = await newDataDir();
  const dataDir = join(folder, 'demo');
  for (const [ports, advice] of [
    [{ PORT: `${port}` }, '--port'],
    [{ PORT: '0', METRICS_PORT: `${port}` }, 'METRICS_PORT'],
  ] as const) {
    const { code, stderr } = await runCommand(['demo', '--data', dataDir, '--exit'], ports);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `port ${port} of 127.0.0.1 is taken: stop what listens there, or choose another with ${advice}`,
    );
  }
  // 192.0.2.1 is an address for documentation.
  const elsewhere = await runCommand(['demo', '--data', dataDir, '--exit'], { HOST: '192.0.2.1', PORT: '0' });
  expect(elsewhere.stderr).toContain(
    'HOST: expected an address of this machine, such as 127.0.0.1, got 192.0.2.1',
  );
  expect(await readdir(folder)).toEqual([]);
  holder.close();
  await removeDataDir(folder);
});

test('cost-analytics demo without a Temporal server says what it waits for, and how to get one if that fails', async () => {
  const dataDir = await newDataDir();
  const programs = await folderWithPrograms(join(dataDir, 'programs'), {
    go: 'echo "dial tcp: no route" >&2; exit 1',
  });
  const environment = {
    PATH: programs,
    XDG_CACHE_HOME: join(dataDir, 'cache'),
    // A closed port, so that the download fails at once on any machine.
    HTTPS_PROXY: 'http://127.0.0.1:9',
  };
  const run = () =>
    runCommand(['demo', '--data', join(dataDir, 'demo'), '--port', '0', '--exit'], environment);
  const { code, stdout, stderr } = await run();
  expect(code).toBe(1);
  expect(stdout.trimEnd().split('\n')).toEqual([
    'Starting the service …',
    expect.stringMatching(/^ {2}Temporal: download of v[\d.]+ with the Temporal SDK … started$/),
    expect.stringMatching(/^ {2}Temporal: download of .* … failed: /),
    expect.stringMatching(/^ {2}Temporal: go install .* \(about three minutes, once\) … started$/),
    expect.stringMatching(/^ {2}Temporal: go install .* … failed: dial tcp: no route$/),
  ]);
  expect(stderr).toContain('set TEMPORAL_ADDRESS=host:port');
  // It has left nothing that holds the data: the next run reports the same.
  expect((await run()).stderr).toBe(stderr);
  await removeDataDir(dataDir);
});

test('cost-analytics demo does not use the real data directory, warehouse and Temporal', () => {
  const real = {
    DATA_DIR: '/srv/real',
    WAREHOUSE: 'ducklake:postgres:dbname=real',
    WAREHOUSE_FILE: '/run/secrets/warehouse',
    WAREHOUSE_DATA: 's3://real/lake',
    TEMPORAL_ADDRESS: 'temporal.example.com:7233',
    TEMPORAL_NAMESPACE: 'real',
    SOURCE_ROOTS: '/srv/bills',
    PRIVATE_TARGETS: '10.0.0.7',
    STRIPE_API_BASE: 'https://stripe.example.com',
  };
  expect(readSettings(demoEnvironment(real, undefined))).toMatchObject({
    dataDir: '/srv/real/demo',
    warehouse: '/srv/real/demo/warehouse.duckdb',
    WAREHOUSE_DATA: null,
    TEMPORAL_ADDRESS: null,
    TEMPORAL_NAMESPACE: 'default',
    sourceRoots: ['/srv/real/demo/exports/{organisation}'],
    // The demo replaces it with its own server.
    STRIPE_API_BASE: readSettings({}).STRIPE_API_BASE,
  });
  const { PRIVATE_TARGETS: targets } = readSettings(demoEnvironment(real, undefined));
  const reachable = ['127.0.0.1', '10.0.0.7', '127.0.0.2', '::1', '10.0.0.8'];
  expect(reachable.filter((ip) => mayReach(targets, ip, ip))).toEqual(['127.0.0.1', '10.0.0.7']);
  expect(readSettings(demoEnvironment(real, '/srv/chosen')).dataDir).toBe('/srv/chosen');
});
