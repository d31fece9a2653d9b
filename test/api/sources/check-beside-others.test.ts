import { readdir } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, it, vi } from 'vitest';
import { checkSource } from '../../../activities/sources/checks/check-source.ts';
import { fixedClock } from '../../../domain/shared/clock.ts';
import { NO_BUCKETS } from '../../../domain/sources/exports/object-storage.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import { findOrganisation } from '../../../warehouse/organisations/organisations.ts';
import type { NewCostSource } from '../../../warehouse/sources/cost-sources.ts';
import type { ExportedSource } from '../../support/exports/exported-source.ts';
import { AWS_CHARGES } from '../../support/exports/bills/aws-charges.ts';
import { cur2Csv } from '../../support/exports/bills/aws-reports.ts';
import { dayLine, focusCsv, type FocusLine } from '../../support/exports/focus-export.ts';
import { billLines, daysFrom } from '../../support/exports/wrong-set-ups.ts';
import { startFakeOpenCost } from '../../support/fakes/fake-opencost.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { checksOf } from '../../support/service/checks.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { ingestExports } from '../../support/service/local-ingest.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const DAYS = daysFrom('2026-01-01', '2026-02-06');
const table = (header: string, rows: readonly string[]): string => [header, ...rows, ''].join('\n');

/** A cluster with some nodes, of which each costs 6 a day. */
const clusterOf = (nodes: readonly string[]): ExportedSource => ({
  kind: 'opencost',
  files: {
    'allocations.csv': table(
      'Date,Cluster,Namespace,ControllerKind,ControllerName,TotalCost',
      DAYS.map((day) => `${day},prod,shop,deployment,api,5`),
    ),
  },
  second: table(
    'day,cluster,kind,provider_id,cost',
    DAYS.flatMap((day) => nodes.map((node) => `${day},prod,Node,${node},6`)),
  ),
});

const machineLines = (machines: readonly string[], more: FocusLine = {}): FocusLine[] =>
  DAYS.flatMap((day) =>
    machines.map((machine) =>
      dayLine(day, '6', {
        ServiceCategory: 'Compute',
        ServiceName: 'Machines',
        ResourceId: machine,
        ...more,
      }),
    ),
  );

const NODES = ['i-0123456789abcdef0', 'i-0123456789abcdef1', 'i-0123456789abcdef2'];
const onAws = (node: string): string => `arn:aws:ec2:eu-west-1:1111:instance/${node}`;

describeOnBothEngines('a look at a source beside those that are connected', (open, onDuckDb) => {
  const api = withOpened(() =>
    startLocalApi({
      open,
      privateTargets: parsePrivateTargets('127.0.0.1'),
      openRemoteFiles: () => Promise.resolve(),
    }),
  );
  const { ask, bodyOf, check } = checksOf(api);

  it('finds machines of clusters on a bill, and of a cluster on the bills', async () => {
    const tenant = await api.newTenant();
    const bill = {
      files: {
        'bill.csv': focusCsv([
          ...billLines('2026-01-01', '2026-02-06'),
          ...machineLines(NODES.slice(0, 2).map(onAws)),
        ]),
      },
    };
    expect((await check(bill, tenant)).found).toMatchObject({ clusters_matched: null, clusters: [] });
    await ingestExports(api, tenant.orgId, [clusterOf(NODES)]);
    expect(await check(bill, tenant)).toMatchObject({
      problems: [],
      ok: true,
      warnings: [],
      found: {
        clusters_matched: { nodes: 3, on_bill: 2 },
        clusters: [{ cluster: 'prod', nodes: 3, on_bill: 2 }],
      },
    });
    const other = await api.newTenant();
    await ingestExports(api, other.orgId, [{ kind: 'focus', ...bill }]);
    expect((await check(clusterOf(NODES), other)).found).toMatchObject({
      units: ['prod'],
      accounts: [],
      currency: null,
      clusters_matched: { nodes: 3, on_bill: 2 },
      clusters: [{ cluster: 'prod', nodes: 3, on_bill: 2 }],
    });
  });

  it('finds charges that a connected source has, too', async () => {
    const tenant = await api.newTenant();
    const bill = { files: { 'bill.csv': focusCsv(billLines('2025-12-01', '2026-02-06')) } };
    await ingestExports(api, tenant.orgId, [{ kind: 'focus', ...bill }, clusterOf(NODES)]);
    expect((await check(bill, tenant)).problems).toEqual([
      'cost source "Source 0" already has these charges of "aws/1000": connect each charge once',
      'cost source "Source 0" already has these charges of "aws/1111": connect each charge once',
    ]);
    expect((await check(clusterOf(NODES), tenant)).problems).toEqual([
      'cost source "Source 1" already has these charges of "prod": connect each charge once',
    ]);
    const another = {
      files: { 'bill.csv': focusCsv(billLines('2026-01-01', '2026-02-06', { EffectiveCost: '7' })) },
    };
    expect((await check(another, tenant)).problems).toEqual([]);
  });

  onDuckDb(() => {
    it('warns of a cluster whose subscription is not in the export', async () => {
      const tenant = await api.newTenant();
      const node = (subscription: string): string =>
        `/subscriptions/${subscription}/resourceGroups/mc/providers/Microsoft.Compute/virtualMachineScaleSets/pool/virtualMachines/0`;
      await ingestExports(api, tenant.orgId, [clusterOf([`azure://${node('s2')}`])]);
      const azure = (id: string): { files: Record<string, string> } => ({
        files: {
          'bill.csv': focusCsv(machineLines([node(id)], { ProviderName: 'Microsoft', SubAccountId: id })),
        },
      });
      expect(await check(azure('s2'), tenant)).toMatchObject({
        warnings: [],
        found: { clusters_matched: { nodes: 1, on_bill: 1 } },
      });
      expect((await check(azure('s1'), tenant)).warnings).toEqual([
        'the only node of cluster "prod" is not on this bill, so that its costs count beside it: it is in s2, and the bill has 1 other account: export all',
      ]);
    });

    it('says exactly what is there', async () => {
      const lines = (first: string, last: string): string => focusCsv(billLines(first, last));
      // A tax of the whole month reaches days that have not come.
      const tax = focusCsv([
        {
          ...dayLine('2026-02-01', '28'),
          ChargePeriodEnd: '2026-03-01T00:00:00Z',
          ChargeCategory: 'Tax',
          SubAccountId: '1000',
        },
      ]);
      const files = {
        '2025-12.csv': lines('2025-12-03', '2025-12-31'),
        '2026-01.csv.gz': gzipSync(lines('2026-01-01', '2026-01-31')),
        '2026-02.csv': lines('2026-02-01', '2026-02-06'),
        'tax.csv': tax,
        'readme.txt': 'nothing to read',
      };
      const bytes = Object.entries(files).reduce(
        (sum, [name, content]) => sum + (name.endsWith('.txt') ? 0 : Buffer.byteLength(content)),
        0,
      );
      expect(await check({ files })).toEqual({
        ok: true,
        problems: [],
        warnings: [],
        found: {
          files: 4,
          files_not_read: 0,
          bytes,
          format: 'csv, csv.gz',
          months: ['2025-12', '2026-01', '2026-02'],
          first_day: '2025-12-03',
          last_day: '2026-02-06',
          currency: 'USD',
          accounts: ['1000', '1111'],
          units: ['aws/1000', 'aws/1111'],
          // (29 + 31 + 6) × 2, and the tax.
          rows_estimate: 133,
          // The files were written after this service's time.
          unchanged_by_run: 0,
          clusters_matched: null,
          clusters: [],
        },
      });
    });

    it('looks at bills in a format of their own', async () => {
      expect(await check({ kind: 'aws_cur', files: { 'cur.csv': cur2Csv(AWS_CHARGES) } })).toMatchObject({
        problems: [],
        found: { months: ['2026-01'], currency: 'USD', rows_estimate: AWS_CHARGES.length },
      });
    });

    it('says what is there even if the bill cannot be read', async () => {
      const euros = focusCsv(billLines('2026-01-01', '2026-02-06', { BillingCurrency: 'EUR' }));
      expect((await check({ files: { 'bill.csv': euros } })).found).toMatchObject({
        files: 1,
        format: 'csv',
        months: ['2026-01', '2026-02'],
        first_day: '2026-01-01',
        last_day: '2026-02-06',
        currency: 'EUR',
        accounts: ['1000', '1111'],
      });
    });

    it('reads the newest files if there is no time for all, and then says nothing that is not exact', async () => {
      const { orgId, secret } = await api.newTenant();
      const files = Object.fromEntries(
        ['2025-12', '2026-01', '2026-02'].map((month) => [
          `${month}.csv`,
          focusCsv(billLines(`${month}-01`, `${month}-06`)),
        ]),
      );
      const body = (await bodyOf(orgId, { files })) as NewCostSource;
      const options = { cost_column: 'EffectiveCost' } as const;
      const source = {
        ...body,
        options,
        currency: null,
        schedule_paused: false,
        starts_on: null,
      } as NewCostSource;
      const organisation = await findOrganisation(api.warehouse, orgId);
      if (organisation === null) throw new Error('the organisation is there');
      const of = {
        warehouse: api.warehouse,
        clock: fixedClock(NOW),
        sourceRulesOf: () => ({ roots: [api.directory] as const, privateTargets: parsePrivateTargets('') }),
        openRemoteFiles: () => Promise.reject(new Error('the source is on this machine')),
        operatorBuckets: { ...NO_BUCKETS, sts: null },
      };
      const never = new AbortController().signal;
      const asked = { organisation, source, credentials: null };
      const some = await checkSource(of, asked, never, [{ mostBytes: 1, mostMs: WAIT_MS }]);
      expect(some).toMatchObject({
        problems: [],
        warnings: [],
        found: {
          files: 3,
          files_not_read: 2,
          months: [],
          first_day: null,
          last_day: null,
          currency: 'USD',
          rows_estimate: 36,
        },
      });
      const nothing = await checkSource(of, asked, never, [{ mostBytes: 1e9, mostMs: 0 }]);
      expect(nothing.problems).toEqual([
        'the source did not answer in time: check the address, or name a smaller folder',
      ]);
      expect((await ask(secret, body)).data.found).toMatchObject({
        files_not_read: 0,
        last_day: '2026-02-06',
      });
    });

    it('asks an API for its newest days only', async () => {
      const allocation = { name: 'prod/shop/deployment/api', totalCost: 5 };
      const cluster = {
        allocations: Object.fromEntries(DAYS.map((day) => [day, [{ [allocation.name]: allocation }]])),
        assets: Object.fromEntries(
          DAYS.map((day) => [
            day,
            { node: { type: 'Node', properties: { cluster: 'prod', providerID: NODES[0] }, totalCost: 6 } },
          ]),
        ),
      };
      const fake = await startFakeOpenCost(cluster);
      try {
        const found = await check({ kind: 'opencost', files: {}, location: fake.url });
        expect(found).toMatchObject({
          ok: true,
          problems: [],
          warnings: [],
          found: {
            files: null,
            bytes: null,
            format: 'api',
            months: [],
            first_day: null,
            last_day: '2026-02-06',
            units: ['prod'],
          },
        });
        expect(fake.requests).toHaveLength(6);
        fake.instead = () => ({ status: 401, body: 'who are you?' });
        expect((await check({ kind: 'opencost', files: {}, location: fake.url })).problems).toEqual([
          expect.stringContaining('/allocation answered 401'),
        ]);
      } finally {
        await fake.close();
      }
    });

    it('stores nothing, and leaves nothing behind', async () => {
      const tenant = await api.newTenant();
      await ingestExports(api, tenant.orgId, [clusterOf(NODES)]);
      const rows = async (): Promise<Record<string, string>> => {
        const tables = await api.warehouse.query<{ table_name: string }>(
          `SELECT DISTINCT table_name FROM duckdb_columns() WHERE column_name = 'org_id' AND NOT database_name IN ('system', 'temp') ORDER BY ALL`,
        );
        const counts: Record<string, string> = {};
        for (const { table_name: name } of tables) {
          if (name === 'api_calls') continue;
          const [count] = await api.warehouse.query<{ row_count: string }>(
            `SELECT count(*) AS row_count FROM ${name} WHERE org_id = $org`,
            { org: tenant.orgId },
          );
          counts[name] = count?.row_count ?? '';
        }
        return counts;
      };
      const before = await rows();
      expect(Object.keys(before)).toContain('audit_log');
      expect(
        await check({ files: { 'bill.csv': focusCsv(billLines('2026-01-01', '2026-02-06')) } }, tenant),
      ).toMatchObject({ ok: true });
      expect(await rows()).toEqual(before);
      const scratch = api.warehouse.settings.spillDirectory;
      expect((await readdir(scratch)).filter((name) => name.startsWith('reader-'))).toEqual([]);
    });

    it('repeats no credential, in answers or in the log', async () => {
      const { secret } = await api.newTenant();
      const hushed = 'hush-hush-hush-hush';
      const body = {
        name: 'AWS',
        kind: 'focus',
        location: 's3://acme-billing/focus/',
        credentials: {
          type: 's3',
          access_key_id: 'AKIAIOSFODNN7EXAMPLE',
          secret_access_key: hushed,
          endpoint: 'http://127.0.0.1:1',
        },
      };
      const { status, error } = await ask(secret, {
        ...body,
        credentials: { type: 'azure', account_key: hushed },
      });
      expect({ status, error }).toEqual({
        status: 400,
        error: expect.stringContaining('credentials.type: expected "s3"') as string,
      });
      const { data } = await ask(secret, {
        ...body,
        location: `https://127.0.0.1:1/bill.csv?sig=${hushed}`,
        credentials: null,
      });
      expect(data).toMatchObject({ ok: false, problems: [expect.any(String)] });
      for (const text of [JSON.stringify(data), error, ...api.lines]) expect(text).not.toContain(hushed);
    });

    it('ends once its caller has gone, and gives its place to the next', async () => {
      const { orgId, secret } = await api.newTenant();
      let asked = 0;
      const fake = await startFakeOpenCost({ allocations: {}, assets: {} });
      // It never answers.
      fake.instead = () => {
        asked += 1;
        return { status: 200, body: '{', headers: { 'content-length': '1000' } };
      };
      try {
        const gone = new AbortController();
        const body = await bodyOf(orgId, { kind: 'opencost', files: {}, location: fake.url });
        const first = ask(secret, body, gone.signal).catch((error: unknown) => error);
        await vi.waitFor(() => {
          expect(asked).toBe(1);
        }, WAIT_MS);
        const next = ask(
          secret,
          await bodyOf(orgId, { files: { 'bill.csv': focusCsv(billLines('2026-01-01', '2026-02-06')) } }),
        );
        gone.abort();
        await first;
        expect((await next).data.ok).toBe(true);
      } finally {
        await fake.close();
      }
    });
  });
});
