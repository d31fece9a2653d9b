import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { describeFile } from '../../support/warehouse/describe-file.ts';
import { stageHosts, missingHostColumns } from '../../../warehouse/sources/hosts-load.ts';
import type { LoadScope } from '../../../warehouse/sources/publishing/load.ts';
import { fromCsv, writeTable } from '../../support/warehouse/duckdb-files.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import {
  currentLoads,
  currentRows,
  loadWith,
  newTenant,
  scopeOf,
  type Tenant,
} from '../../support/warehouse/feeds.ts';
import { textLike } from '../../support/service/matchers.ts';
import { money, published, writeFiles } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Host spend from files. */
describeOnBothEngines('host spend', (open, onDuckDb) => {
  const test = withOpened(open);

  const loadPaths = (
    tenant: Tenant,
    paths: readonly string[],
    changes: Partial<LoadScope> = {},
    isCurrent = true,
  ) =>
    loadWith(test, paths, (sessions, files) =>
      published(sessions, scopeOf(tenant, changes), (load) => stageHosts(sessions, load, files), isCurrent),
    );
  const load = async (tenant: Tenant, text: string, changes: Partial<LoadScope> = {}, isCurrent = true) =>
    loadPaths(tenant, await writeFiles(test, { 'hosts.csv': text }), changes, isCurrent);
  const rows = ({ orgId }: Tenant) =>
    currentRows(test, orgId, 'host_spend', 'day, host, service, machine_id, cost');

  const JANUARY = [
    // The last column has the default name of a scan's file column. No load reads it.
    'Day,HOST,service,cost,machine_id,export_file',
    '2026-01-30,db-1,postgres,10.5,i-0abc,"a, b"',
    '2026-01-30,db-1,postgres,0.000000000000001,i-0abc,',
    '2026-01-30,db-1,,2,i-0abc,',
    '2026-01-30,db-1,__idle__,1,i-0abc,',
    '2026-01-31T23:30:00-01:00,web-1,nginx,-3,NULL,', // 00:30 on 1 February
    '2026-01-31 08:00:00,web-1,nginx,4e-1,null,',
    '',
  ].join('\n');

  it('is read from Parquet, without rows whose days DuckDB cannot convert', async () => {
    const tenant = await newTenant(test);
    const [csv = ''] = await writeFiles(test, { 'hosts.csv': '' });
    const path = csv.replace('.csv', '.parquet');
    await writeTable(
      path,
      `SELECT CASE i WHEN 0 THEN make_timestamp(-9223372036854775806) ELSE TIMESTAMP '2026-01-30' END AS day,
         CASE i WHEN 1 THEN make_timestamptz(-9223372036854775806) END AS machine_id,
         'db-1' AS host, 'postgres' AS service, 1.25::FLOAT AS cost FROM range(200) AS rows(i)`,
    );
    const { rowsRead, rejectedSamples } = await loadPaths(tenant, [path]);
    expect({ rowsRead, rejectedSamples }).toMatchObject({
      rowsRead: 200,
      rejectedSamples: [
        { problem: 'day: expected a day as YYYY-MM-DD or an instant, got "out of range"', rows: 1 },
      ],
    });
    expect((await currentLoads(test, tenant.orgId)).map(({ cost_total }) => cost_total)).toEqual([
      money('248.75'),
    ]);
  });

  it('is stored by day, host and service; idle has no service, and credits count', async () => {
    const tenant = await newTenant(test);
    const result = await load(tenant, JANUARY);
    expect(await rows(tenant)).toEqual([
      {
        day: '2026-01-30',
        host: 'db-1',
        service: 'postgres',
        machine_id: 'i-0abc',
        cost: money('10.500000000000001'),
      },
      { day: '2026-01-30', host: 'db-1', service: null, machine_id: 'i-0abc', cost: money('3') },
      { day: '2026-01-31', host: 'web-1', service: 'nginx', machine_id: null, cost: money('0.4') },
      { day: '2026-02-01', host: 'web-1', service: 'nginx', machine_id: null, cost: money('-3') },
    ]);
    expect(result).toEqual({
      months: ['2026-01', '2026-02'],
      rowsRead: 6,
      rowsRejected: 0,
      rowsLeftOut: 0,
      rejectedSamples: [],
      costTotal: money('10.900000000000001'),
      notes: [],
    });
    expect(await currentLoads(test, tenant.orgId)).toEqual([
      {
        billing_period: '2026-01-01',
        cost_column: null,
        rows_read: '5',
        cost_total: money('13.900000000000001'),
        first_day: '2026-01-30',
        last_day: '2026-01-31',
        delivered_through: '2026-01-31',
      },
      {
        billing_period: '2026-02-01',
        cost_column: null,
        rows_read: '1',
        cost_total: money('-3'),
        first_day: '2026-02-01',
        last_day: '2026-02-01',
        delivered_through: '2026-02-01',
      },
    ]);
  });

  it('has one name for both encodings of a letter, and no byte order mark in its cells', async () => {
    const tenant = await newTenant(test);
    const lines = [
      '\ufeffday,\ufeffhost, service ,cost',
      '2026-01-30,caf\u00e9-1,postgres,10',
      '\ufeff2026-01-30, cafe\u0301-1,\ufeffpostgres\u00a0,\ufeff2.5',
      '\ufeff2026-01-30,cafe-1,postgres,1',
    ];
    const { rowsRead, rowsRejected } = await load(tenant, `${lines.join('\n')}\n`);
    expect({ rowsRead, rowsRejected }).toEqual({ rowsRead: 3, rowsRejected: 0 });
    // 10 + 2.5
    expect(await rows(tenant)).toMatchObject([
      { host: 'cafe-1', service: 'postgres', cost: money('1') },
      { host: 'caf\u00e9-1', service: 'postgres', cost: money('12.5') },
    ]);
  });

  it('is the same after a second load, and keeps a month that the file lacks', async () => {
    const tenant = await newTenant(test);
    await load(tenant, JANUARY);
    const once = await rows(tenant);
    await load(tenant, JANUARY);
    expect(await rows(tenant)).toEqual(once);
    await load(tenant, 'day,host,service,cost\n2026-02-02,web-1,nginx,7\n');
    expect(await rows(tenant)).toEqual([
      ...once,
      { day: '2026-02-02', host: 'web-1', service: 'nginx', machine_id: null, cost: money('7') },
    ]);
  });

  it('keeps days that the file lacks, and replaces days that it has', async () => {
    const tenant = await newTenant(test);
    const rolling = (...lines: string[]) => `day,host,service,cost\n${lines.join('\n')}\n`;
    const days = async () => (await rows(tenant)).map((row) => Object.values(row).slice(0, 2).join(' '));
    await load(
      tenant,
      rolling(
        '2026-01-10,a,x,1',
        '2026-01-11,a,x,2',
        '2026-01-12,a,x,4',
        '2026-01-12,b,x,8',
        '2026-02-01,a,x,16',
      ),
    );
    const next = rolling('2026-01-12,a,x,32', '2026-01-13,a,x,64');
    for (const time of ['once', 'twice']) {
      // 1 + 2 stay, and the 12th has only the 32 of a. The file has nothing of February.
      expect({ time, result: await load(tenant, next) }).toMatchObject({
        result: {
          rowsRead: 2,
          costTotal: money('99'),
          months: ['2026-01'],
          notes: ['the files no longer have 2026-01-10 to 2026-01-11; what was loaded before stays'],
        },
      });
      expect(await days()).toEqual([
        '2026-01-10 a',
        '2026-01-11 a',
        '2026-01-12 a',
        '2026-01-13 a',
        '2026-02-01 a',
      ]);
    }
    expect(await currentLoads(test, tenant.orgId)).toMatchObject([
      { first_day: '2026-01-10', last_day: '2026-01-13', rows_read: '2', cost_total: money('99') },
      { first_day: '2026-02-01' },
    ]);
    // If the ingest accepts the loss, the month is what the file has.
    expect(await load(tenant, next, { acceptShrink: true })).toMatchObject({
      costTotal: money('96'),
      notes: [],
    });
    expect(await days()).toEqual(['2026-01-12 a', '2026-01-13 a', '2026-02-01 a']);
  });

  it('replaces only the requested months', async () => {
    const tenant = await newTenant(test);
    const range = { startMonth: '2026-02', endMonth: '2026-02' };
    expect(await load(tenant, JANUARY, range)).toMatchObject({
      months: ['2026-02'],
      rowsRead: 6,
      rowsLeftOut: 5,
    });
    expect(await load(tenant, JANUARY, { endMonth: '2025-12' })).toMatchObject({
      months: [],
      rowsRead: 6,
      rowsLeftOut: 6,
      costTotal: '0',
    });
    expect((await currentLoads(test, tenant.orgId)).map((each) => each.billing_period)).toEqual([
      '2026-02-01',
    ]);
  });

  it('is delivered at most through today', async () => {
    const tenant = await newTenant(test);
    await load(tenant, 'day,host,service,cost\n2026-02-01,a,b,1\n2026-02-28,a,b,1\n');
    expect(await currentLoads(test, tenant.orgId)).toMatchObject([
      { last_day: '2026-02-28', delivered_through: '2026-02-07' },
    ]);
  });

  onDuckDb(() => {
    it('is the same from gzip, from Parquet with types, and from files with different columns', async () => {
      const tenant = await newTenant(test);
      await load(tenant, JANUARY);
      const expected = await rows(tenant);
      const [csv = '', gzip = '', parquet = '', one = '', two = ''] = await writeFiles(test, {
        'a.csv': JANUARY,
        'b.csv.gz': gzipSync(JANUARY),
        'c.parquet': '',
        'd.csv': `${JANUARY.split('\n').slice(0, 4).join('\n')}\n`,
        'e.csv': 'cost,service,host,day\n-3,nginx,web-1,2026-02-01\n0.4,nginx,web-1,2026-01-31\n',
      });
      await writeTable(
        parquet,
        `SELECT CASE WHEN day LIKE '%-01:00' THEN TIMESTAMPTZ '2026-02-01 00:30:00Z' ELSE day::TIMESTAMPTZ END AS day,
         host, NULLIF(service, '') AS service, cost::DOUBLE AS COST, machine_id FROM (${fromCsv(csv)})
       WHERE cost <> '0.000000000000001'
       UNION ALL SELECT TIMESTAMPTZ '2026-01-30 00:00:00Z', 'db-1', 'postgres', 1e-15, 'i-0abc'`,
      );
      for (const paths of [[gzip], [parquet]]) {
        const other = await newTenant(test);
        expect(await loadPaths(other, paths)).toMatchObject({ rowsRead: 6, rowsRejected: 0 });
        expect(await rows(other)).toEqual(expected);
      }
      const other = await newTenant(test);
      await loadPaths(other, [one, two]);
      expect(await rows(other)).toEqual([
        { ...expected[0] },
        { day: '2026-01-30', host: 'db-1', service: null, machine_id: 'i-0abc', cost: money('2') },
        ...expected.slice(2),
      ]);
    });

    it('reports the columns that a file lacks', async () => {
      const [path = ''] = await writeFiles(test, { 'a.csv': 'day,hostname,cost\n' });
      const file = await test.warehouse.session((session) => describeFile(session, path));
      expect(missingHostColumns(file)).toEqual(['host', 'service']);
    });

    const good = (count: number): string => '2026-01-10,web-1,nginx,1\n'.repeat(count);
    const BAD = [
      'yesterday,web-1,nginx,1',
      'infinity,web-1,nginx,1',
      '2026-01-10,web-1,nginx,one',
      '2026-01-10,web-1,nginx,',
      '2026-01-10,,nginx,1',
      '2026-01-10,web-1,nginx,1,2,3',
    ].join('\n');

    it('reports rows that cannot be read with their reasons, up to one in a hundred', async () => {
      const tenant = await newTenant(test);
      const result = await load(tenant, `day,host,service,cost\n${good(594)}${BAD}\n`);
      expect(result).toMatchObject({ rowsRead: 600, rowsRejected: 6, costTotal: money('594') });
      expect(result.rejectedSamples.map(({ problem, rows: count }) => [problem, count])).toEqual([
        [expect.stringMatching(/^line 601: too many columns: /), 1],
        ['cost: expected a decimal number, got "one"', 1],
        ['cost: expected a decimal number, got nothing', 1],
        ['day: expected a day as YYYY-MM-DD or an instant from 1970 to 10 years from now, got "infinity"', 1],
        ['day: expected a day as YYYY-MM-DD or an instant, got "yesterday"', 1],
        ['host: expected a text, got nothing', 1],
      ]);
    });

    it('is rejected with more than one bad row in a hundred, and nothing changes', async () => {
      const tenant = await newTenant(test);
      await load(tenant, JANUARY);
      const before = await rows(tenant);
      await expect(load(tenant, `day,host,service,cost\n${good(593)}${BAD}\n`)).rejects.toMatchObject({
        kind: 'invalid',
        message: textLike(/^6 of 599 rows cannot be read, more than 1 %: nothing was loaded\. line 600/),
      });
      expect(await rows(tenant)).toEqual(before);
    });
  });

  it('never counts from an attempt that was given up', async () => {
    const tenant = await newTenant(test);
    await expect(load(tenant, JANUARY, {}, false)).rejects.toThrow(/given up/);
    expect(await rows(tenant)).toEqual([]);
    expect(await currentLoads(test, tenant.orgId)).toEqual([]);
    await load(tenant, JANUARY);
    expect(await rows(tenant)).toHaveLength(4);
  });
});
