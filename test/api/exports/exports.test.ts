import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { lastDay } from '../../../domain/shared/calendar.ts';
import { readArrow } from '../../support/exports/arrow-table.ts';
import { as, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { loadPaths, newMetric, newOrganisation, newSource } from '../../support/warehouse/tenant.ts';
import { account, namespace, newTeamStory } from '../../warehouse/teams/team-story.ts';
import { readSampleText, SAMPLE } from '../../support/exports/focus-sample.ts';
import { withOpened } from '../../support/with-opened.ts';

/**
 * Exports for a data team. Today is 7 February 2026. January in USD, 200 in all, each dollar once. The cluster runs on i-1, whose
 * lines are on the bill:
 *
 * | bill             |     | owner       | cluster prod           |    | owner  |
 * | ---------------- | --- | ----------- | ---------------------- | -- | ------ |
 * | account 1, 5th   | 100 | Shop        | workload api in web    | 30 | Search |
 * | account 2, 6th   |  40 | shared cost | the rest of i-1, idle  | 20 | none   |
 * | account 9, i-1   |  50 | cluster     |                        |    |        |
 * | account 3, 31st  |  10 | none        |                        |    |        |
 */
const TYPES = {
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv',
  arrow: 'application/vnd.apache.arrow.stream',
};
const JANUARY = 'start=2026-01&end=2026-01';

type Row = Record<string, string | null>;
interface Month {
  month: string;
  cost: number | null;
  value: number | null;
  unit_cost: number | null;
  status: string;
  change_percent: number | null;
  change_basis: string;
  version: number | null;
  locked: { version: number; cost: number; value: number; unit_cost: number; locked_at: string } | null;
  current?: { cost: number; value: number; unit_cost: number };
}

describeOnBothEngines('exports', (open, onDuckDb) => {
  const api = withOpened(() => startLocalApi({ open }));

  const get = (secret: string, path: string, accept?: string): Promise<Response> =>
    fetch(`${api.url}/api/v1/export/${path}`, {
      headers: { 'x-api-key': secret, ...(accept === undefined ? {} : { accept }) },
    });

  /** Returns the rows of a Parquet answer with all numbers as exact texts, and the types of its columns. */
  const parquetOf = async (secret: string, path: string) => {
    const answer = await get(secret, path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, TYPES.parquet]);
    const file = join(api.directory, `${randomUUID()}.parquet`);
    await writeFile(file, Buffer.from(await answer.arrayBuffer()));
    const described = await api.warehouse.query<{ column_name: string; column_type: string }>(
      `DESCRIBE FROM read_parquet('${file}')`,
    );
    return {
      file,
      rows: await api.warehouse.query<Row>(`FROM read_parquet('${file}')`),
      types: Object.fromEntries(described.map(({ column_name, column_type }) => [column_name, column_type])),
    };
  };

  const arrowOf = async (secret: string, path: string) => {
    const answer = await get(secret, path, TYPES.arrow);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, TYPES.arrow]);
    return readArrow(await answer.arrayBuffer());
  };

  const csvOf = async (secret: string, path: string): Promise<Row[]> => {
    const answer = await get(secret, path, TYPES.csv);
    expect(answer.status).toBe(200);
    return parse(await answer.text(), { columns: true });
  };

  const newStory = async () => {
    const story = await newTeamStory(api);
    const secret = await api.newKey(story.orgId);
    const shop = await story.team('Shop', [account('1')]);
    const search = await story.team('Search', [namespace('web')]);
    const split = { type: 'even' as const, team_ids: [shop, search] };
    const network = await story.sharedCost('Network', [account('2')], split);
    const line = (day: string, id: string, cost: string, resource_id: string | null = null) => ({
      day: `2026-01-${day}`,
      cloud: 'aws',
      account: id,
      resource_id,
      cost,
    });
    const [i1, cluster] = ['i-0123456789abcdef0', 'prod'];
    await story.spend('2026-01', {
      cloud_spend: [
        line('05', '1', '100.000000000000001'),
        line('06', '2', '40'),
        line('07', '9', '50', i1),
        line('31', '3', '9.999999999999999'),
      ],
      cluster_assets: [{ day: '2026-01-07', cluster, kind: 'node', provider_id: i1, cost: '50' }],
      kubernetes_spend: [
        { day: '2026-01-07', cluster, namespace: 'web', workload: 'api', is_idle: false, cost: '30' },
        { day: '2026-01-01', cluster, is_idle: true, cost: '0' },
        { day: '2026-01-31', cluster, is_idle: true, cost: '0' },
      ],
    });
    return { ...story, secret, admin: as(api, secret), shop, search, network };
  };

  const total = async (reader: Api, month: string): Promise<number> => {
    const range = `start_date=${month}-01&end_date=${lastDay(month)}`;
    return expectData(await reader.get<{ total: number }>(`/costs?${range}`)).total;
  };

  it('of spend have FOCUS columns with the owning team, and add up to /costs to the last decimal', async () => {
    const story = await newStory();
    const { rows, types, file } = await parquetOf(story.secret, `spend?${JANUARY}`);
    expect(types).toMatchObject({
      ChargePeriodStart: 'TIMESTAMP WITH TIME ZONE',
      EffectiveCost: 'DECIMAL(38,15)',
      x_Team: 'VARCHAR',
    });
    const shown = rows.map((row) => [
      row['ChargePeriodStart']?.slice(0, 10),
      row['ChargePeriodEnd']?.slice(0, 10),
      ...[row['ProviderName'], row['SubAccountId'], row['x_Source'], row['x_Cluster'], row['x_Workload']],
      ...[row['x_Team'], row['x_TeamId'], row['x_SharedCost'], row['EffectiveCost']],
    ]);
    const [day5, day6] = [['2026-01-05', '2026-01-06'] as const, ['2026-01-06', '2026-01-07'] as const];
    const [day7, day31] = [['2026-01-07', '2026-01-08'] as const, ['2026-01-31', '2026-02-01'] as const];
    const nobody = [null, null, null];
    expect(shown).toEqual([
      [...day5, 'aws', '1', 'cloud', null, null, 'Shop', story.shop, null, '100.000000000000001'],
      [...day6, 'aws', '2', 'cloud', null, null, null, null, 'Network', '40.000000000000000'],
      // The cluster's lines keep their account, and lose what its workloads cost.
      [...day7, null, null, 'kubernetes', 'prod', null, ...nobody, '-30.000000000000000'],
      [...day7, null, null, 'kubernetes', 'prod', 'api', 'Search', story.search, null, '30.000000000000000'],
      [...day7, 'aws', '9', 'kubernetes', 'prod', null, ...nobody, '50.000000000000000'],
      [...day31, 'aws', '3', 'cloud', null, null, ...nobody, '9.999999999999999'],
    ]);
    const [sum] = await api.warehouse.query<{ total: string }>(
      `SELECT sum(EffectiveCost) AS total FROM read_parquet('${file}')`,
    );
    expect(sum?.total).toBe('200.000000000000000');
    expect(await total(story.admin, '2026-01')).toBe(200);
    // The other formats have the same rows.
    const csv = await csvOf(story.secret, `spend?${JANUARY}`);
    expect(csv.map((row) => [row['ChargePeriodStart'], row['EffectiveCost'], row['x_Team']])).toEqual([
      ['2026-01-05T00:00:00.000Z', '100', 'Shop'],
      ['2026-01-06T00:00:00.000Z', '40', ''],
      ['2026-01-07T00:00:00.000Z', '-30', ''],
      ['2026-01-07T00:00:00.000Z', '30', 'Search'],
      ['2026-01-07T00:00:00.000Z', '50', ''],
      ['2026-01-31T00:00:00.000Z', '9.999999999999998', ''],
    ]);
    expect(await arrowOf(story.secret, `spend?${JANUARY}`)).toEqual({ types, rows });
  });

  it('of bills are what the bills of the month show, version by version', async () => {
    const story = await newStory();
    await story.settle();
    const { rows, types } = await parquetOf(story.secret, 'bills?start=2025-12&end=2026-11');
    expect(await arrowOf(story.secret, 'bills?start=2025-12&end=2026-11')).toEqual({ types, rows });
    expect(types).toMatchObject({ version: 'INTEGER', fully_loaded: 'DECIMAL(38,6)' });
    // Months end with the running one. The two teams share 40 evenly.
    expect(rows.map(({ month, team_name, status }) => [month, team_name, status])).toEqual([
      ['2025-12', 'Search', 'estimate'],
      ['2025-12', 'Shop', 'estimate'],
      ['2026-01', 'Search', 'sealed'],
      ['2026-01', 'Shop', 'sealed'],
      ['2026-02', 'Search', 'estimate'],
      ['2026-02', 'Shop', 'estimate'],
    ]);
    const [, , search, shop] = rows;
    expect(search).toMatchObject({ direct: '30.000000', shared: '20.000000', fully_loaded: '50.000000' });
    expect(shop).toMatchObject({
      team_id: story.shop,
      version: 1,
      sealed_because: 'settled',
      currency: 'USD',
      direct: '100.000000',
      cloud: '100.000000',
      kubernetes: '0.000000',
      fully_loaded: '120.000000',
    });
    expect(rows[0]).toMatchObject({ direct: null, version: null, sealed_at: null });
    await story.reseal('2026-01', 'again', new Date('2026-02-07T06:00:00Z'));
    const again = await parquetOf(story.secret, `bills?${JANUARY}`);
    expect(again.rows.map(({ version, sealed_because }) => [version, sealed_because])).toEqual([
      [2, 'resealed'],
      [2, 'resealed'],
    ]);
  });

  it('of months and values have the numbers of the API, exactly', async () => {
    const story = await newStory();
    const orders = await newMetric(api.warehouse, story.orgId, { name: 'Orders' });
    const parts = await newMetric(api.warehouse, story.orgId, {
      name: '=Parts',
      frequency: 'monthly',
      label_key: 'region',
    });
    await story.settle();
    const write = async (id: string, values: object[]): Promise<void> => {
      expectData(await story.admin.post(`/metrics/${id}/values`, { values }));
    };
    await write(orders.id, [
      { period: '2026-01-05', value: 600 },
      { period: '2026-01-31', value: 0.0000000001 },
      { period: '2026-02-01', value: 7 },
    ]);
    await write(parts.id, [
      { period: '2026-01', label: 'eu', value: 4 },
      { period: '2026-01', label: 'us', value: 1 },
    ]);
    expectData(await story.admin.post(`/metrics/${orders.id}/months/2026-01/lock`));
    await write(orders.id, [{ period: '2026-01-05', value: 800 }]);

    const { rows, types } = await arrowOf(story.secret, 'months?start=2025-03&end=2026-02');
    expect(await parquetOf(story.secret, 'months?start=2025-03&end=2026-02')).toMatchObject({ types, rows });
    expect(types).toMatchObject({
      cost: 'DECIMAL(38,6)',
      value: 'DECIMAL(38,10)',
      locked_version: 'INTEGER',
    });
    const exported = (id: string) =>
      rows
        .filter(({ metric_id }) => metric_id === id)
        .map((row) => {
          const number = (column: string) => (row[column] === null ? null : Number(row[column]));
          return {
            month: row['month'],
            status: row['status'],
            change_basis: row['change_basis'],
            cost: number('cost'),
            value: number('value'),
            unit_cost: number('unit_cost'),
            change_percent: number('change_percent'),
            version: number('locked_version'),
            locked: [number('locked_cost'), number('locked_value'), number('locked_unit_cost')],
            current: [number('current_cost'), number('current_value'), number('current_unit_cost')],
          };
        });
    for (const { id } of [orders, parts]) {
      const shown = expectData(await story.admin.get<Month[]>(`/metrics/${id}/months`));
      const fields = shown.map(({ locked, current, ...month }) => ({
        month: month.month,
        status: month.status,
        change_basis: month.change_basis,
        cost: month.cost,
        value: month.value,
        unit_cost: month.unit_cost,
        change_percent: month.change_percent,
        version: month.version,
        locked: [locked?.cost ?? null, locked?.value ?? null, locked?.unit_cost ?? null],
        current: [current?.cost ?? null, current?.value ?? null, current?.unit_cost ?? null],
      }));
      expect(exported(id)).toEqual(fields.reverse());
    }
    // 200 over the locked 600.0000000001, and over today's 800.0000000001.
    expect(
      rows.find(({ month, status }) => month === '2026-01' && status === 'changed_since_lock'),
    ).toMatchObject({
      metric_name: 'Orders',
      locked_value: '600.0000000001',
      locked_unit_cost: '0.333333',
      current_value: '800.0000000001',
      current_unit_cost: '0.250000',
    });

    const values = await arrowOf(story.secret, 'values?start=2026-01&end=2026-02');
    expect(await parquetOf(story.secret, 'values?start=2026-01&end=2026-02')).toMatchObject(values);
    expect(values.types).toMatchObject({ period: 'DATE', value: 'DECIMAL(38,10)' });
    expect(
      values.rows.map((row) => [
        row['metric_name'],
        row['period'],
        row['label'],
        row['value'],
        row['source'],
      ]),
    ).toEqual([
      ['Orders', '2026-01-05', null, '800.0000000000', 'api'],
      ['Orders', '2026-01-31', null, '0.0000000001', 'api'],
      ['Orders', '2026-02-01', null, '7.0000000000', 'api'],
      ['=Parts', '2026-01-01', 'eu', '4.0000000000', 'api'],
      ['=Parts', '2026-01-01', 'us', '1.0000000000', 'api'],
    ]);
    const csv = await csvOf(story.secret, `values?${JANUARY}`);
    expect(csv[1]).toEqual({
      metric_id: orders.id,
      metric_name: 'Orders',
      frequency: 'daily',
      period: '2026-01-31',
      label: '',
      value: '1e-10',
      source: 'api',
      changed_at: '2026-02-07T06:00:00.000Z',
    });
    // Texts are unchanged, unless the file is for a spreadsheet, which would take a name for a formula.
    expect(csv[2]?.['metric_name']).toBe('=Parts');
    const safe = await csvOf(story.secret, `values?${JANUARY}&safe=spreadsheet`);
    expect(safe[2]).toEqual({ ...csv[2], metric_name: "'=Parts" });
    expect([safe[0], safe[1]]).toEqual([csv[0], csv[1]]);
    expect(await story.admin.get(`/export/values?${JANUARY}&safe=yes`)).toMatchObject({
      status: 400,
      body: { error: 'safe: expected "spreadsheet", got "yes"' },
    });
  });

  it('leave revenue out unless an admin asks for it, as CSV or Arrow, and the audit log has each', async () => {
    const story = await newStory();
    const reader = await api.newKey(story.orgId, { permission: 'read' });
    const count = await newMetric(api.warehouse, story.orgId, { name: 'Orders' });
    const revenue = { name: 'Sales', unit: 'USD', kind: 'revenue', currency: 'USD' };
    const scope = { type: 'organisation' };
    const sales = expectData(
      await story.admin.post<{ id: string }>('/metrics', {
        ...revenue,
        aggregation: 'total',
        frequency: 'daily',
        scope,
      }),
    ).id;
    const sold = [
      { period: '2026-01-05', value: 98_766_432.5678901 },
      { period: '2026-01-31', value: -98_765_432.5678901 },
    ];
    expectData(await story.admin.post(`/metrics/${sales}/values`, { values: sold }));
    expectData(
      await story.admin.post(`/metrics/${count.id}/values`, { values: [{ period: '2026-01-05', value: 5 }] }),
    );
    const views = async () =>
      expectPage(
        await story.admin.get<{ target: string; actor: object; detail: object }[]>(
          '/audit-log?action=viewed',
        ),
      ).items;
    const before = (await views()).length;
    for (const secret of [story.secret, reader])
      for (const kind of ['months', 'values']) {
        const { rows } = await parquetOf(secret, `${kind}?${JANUARY}`);
        expect(new Set(rows.map(({ metric_id }) => metric_id))).toEqual(new Set([count.id]));
        for (const type of [TYPES.csv, TYPES.arrow])
          expect(await (await get(secret, `${kind}?${JANUARY}`, type)).text()).not.toMatch(
            /Sales|9876[56],?432/,
          );
      }
    expect(await views()).toHaveLength(before);

    const included = `${JANUARY}&revenue=include`;
    const asked = (path: string, secret = story.secret, accept?: string) =>
      as(api, secret).get(`/export/${path}`, accept === undefined ? {} : { accept });
    expectError(
      await asked(`months?${included}`, reader),
      403,
      /^only admins see revenue: this needs a key with permission admin; this key has read$/,
    );
    expectError(
      await asked(`values?${included}`, story.secret, TYPES.parquet),
      400,
      `Accept: expected text/csv or ${TYPES.arrow}, got "${TYPES.parquet}"`,
    );
    expectError(
      await asked(`spend?${included}`),
      400,
      'revenue: expected only with months or values, got it with spend',
    );
    expect(await views()).toHaveLength(before);

    // 200 of 1,000 is 20 %, and leaves 800, which is 80 %.
    const months = await csvOf(story.secret, `months?${included}`);
    expect(months.map((row) => [row['metric_name'], row['kind'], row['value'], row['margin']])).toEqual([
      ['Orders', 'count', '5', ''],
      ['Sales', 'revenue', '1000', '800'],
    ]);
    expect(months[1]).toMatchObject({ unit_cost: '', cost_share_percent: '20', margin_percent: '80' });
    const { rows } = await arrowOf(story.secret, `values?${included}`);
    expect(rows.map(({ period, value }) => [period, value])).toEqual([
      ['2026-01-05', '5.0000000000'],
      ['2026-01-05', '98766432.5678900000'],
      ['2026-01-31', '-98765432.5678900000'],
    ]);
    expect((await views()).slice(0, 2)).toMatchObject([
      { target: sales, detail: { viewed: 'exported values' } },
      { target: sales, detail: { viewed: 'exported months' } },
    ]);
    expect(await views()).toHaveLength(before + 2);
    expect(JSON.stringify(await views()) + api.lines.join()).not.toMatch(/9876[56],?432/);
  });

  it('have no row of another organisation', async () => {
    const story = await newStory();
    await newMetric(api.warehouse, story.orgId, { name: 'Orders' });
    const { secret } = await api.newTenant();
    for (const kind of ['months', 'bills', 'spend', 'values'])
      expect((await parquetOf(secret, `${kind}?start=2025-12&end=2026-02`)).rows).toEqual([]);
  });

  onDuckDb(() => {
    it('refuse months that cannot be, and types that they do not have', async () => {
      const { orgId, secret } = await api.newTenant();
      const admin = as(api, secret);
      const refusals: [string, string | RegExp, Record<string, string>?][] = [
        ['months', /start: expected a month as YYYY-MM/],
        ['spend?start=2026-01', /end: expected a month as YYYY-MM/],
        ['bills?start=2026-1&end=2026-01', /start: expected a month as YYYY-MM, got "2026-1"/],
        ['values?start=2026-13&end=2026-13', /start: expected a month as YYYY-MM/],
        ['spend?start=2026-02&end=2026-01', 'end: expected a month not before start 2026-02, got "2026-01"'],
        ['spend?start=2025-01&end=2026-01', 'end: expected at most 12 months from start, got 13'],
        ['months?start=0000-01&end=0000-02', 'start: expected a month from 1970-01 on, got "0000-01"'],
        [`months?${JANUARY}&revenue=all`, /revenue: expected "include"/],
        [`bills?${JANUARY}&team=x`, /team: unknown field/],
        [
          `spend?${JANUARY}`,
          `Accept: expected ${TYPES.parquet} or text/csv or ${TYPES.arrow}, got "application/json"`,
          { accept: 'application/json' },
        ],
      ];
      for (const [path, message, headers] of refusals)
        expectError(await admin.get(`/export/${path}`, headers), 400, message);
      for (const kind of ['months', 'bills', 'spend', 'values'])
        expect((await get(secret, `${kind}?start=9999-12&end=9999-12`)).status).toBe(200);
      expectError(await admin.get(`/export/keys?${JANUARY}`), 404);
      const ingestOnly = await api.newKey(orgId, { permission: 'metrics:ingest' });
      expectError(await as(api, ingestOnly).get(`/export/spend?${JANUARY}`), 403);
    });

    it('of spend are open on every plan, and the others from Professional on', async () => {
      const { id } = await newOrganisation(api.warehouse, { tier: 'starter' });
      const secret = await api.newKey(id);
      expect((await get(secret, `spend?${JANUARY}`)).status).toBe(200);
      for (const kind of ['months', 'bills', 'values'])
        expectError(await as(api, secret).get(`/export/${kind}?${JANUARY}`), 403, /Professional/);
    });
  });

  describe('of the real sample', () => {
    it('add up, month by month, to a sum over its lines and to /costs', async () => {
      const { orgId, secret } = await api.newTenant();
      const { id: sourceId } = await newSource(api.warehouse, orgId);
      await loadPaths(api, { orgId, sourceId }, [SAMPLE], { costColumn: 'BilledCost' });
      // September has only lines within one day.
      const lines: Row[] = parse(await readSampleText(), { columns: true });
      const september = lines.filter((line) => line['ChargePeriodStart']?.startsWith('2024-09') === true);
      const naive = september.reduce((sum, line) => sum + Number(line['BilledCost']), 0);
      const { file } = await parquetOf(secret, 'spend?start=2024-08&end=2024-11');
      const sums = await api.warehouse.query<{ month: string; total: string }>(
        `SELECT strftime(ChargePeriodStart, '%Y-%m') AS month, sum(EffectiveCost) AS total FROM read_parquet('${file}')
         GROUP BY month ORDER BY month`,
      );
      expect(sums.map(({ month }) => month)).toContain('2024-09');
      for (const { month, total: sum } of sums)
        expect(Number(Number(sum).toFixed(6))).toBe(await total(as(api, secret), month));
      expect(sums.find(({ month }) => month === '2024-09')?.total).toBe('20.520226728990000');
      expect(naive).toBeCloseTo(20.52022672899, 9);
    });
  });
});
