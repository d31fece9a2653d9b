import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { breakdownOf } from '../../support/warehouse/breakdown-of.ts';
import { costsOf } from '../../support/warehouse/costs-of.ts';
import { stageAiTools } from '../../../warehouse/sources/ai-tools-load.ts';
import type { ExportFile } from '../../../warehouse/sources/feeds/export-files.ts';
import { beginLoad, type LoadResult } from '../../../warehouse/sources/publishing/load.ts';
import { publishLoad } from '../../../warehouse/sources/publishing/publish-load.ts';
import { stageHosts } from '../../../warehouse/sources/hosts-load.ts';
import type { LoadSessions } from '../../../warehouse/engine/readers/load-sessions.ts';
import { publishComputed } from '../../../warehouse/spend/compute-spend.ts';
import { stageOpenCost } from '../../../warehouse/sources/opencost/opencost-load.ts';
import { relationsOf } from '../../../warehouse/sources/feeds/scan-files.ts';
import type { Session } from '../../../warehouse/engine/session.ts';
import {
  LONG_FOCUS_TEXTS,
  LONG_TEXT,
  POISONED_AMOUNTS,
  POISONED_DAYS,
  POISONED_FOCUS_ROWS,
} from '../../attack/poisoned-rows.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { currentLoads, currentRows, loadWith, scopeOf, type Tenant } from '../../support/warehouse/feeds.ts';
import { dayLine, focusCsv, type FocusLine } from '../../support/exports/focus-export.ts';
import { choose } from '../../support/warehouse/spend-choices.ts';
import {
  NOW,
  loadPaths,
  loadText,
  money,
  newOrganisation,
  newSource,
  published,
  writeFiles,
} from '../../support/warehouse/tenant.ts';
import { someOf } from '../../support/effort.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Each good row costs 1. There are so many that the poisoned rows stay below one in a hundred. */
const GOOD_ROWS = 3000;
const good = Array.from({ length: GOOD_ROWS }, () => '1');

/** Every kind of feed rejects rows that would break every computation. */
describeOnBothEngines('poisoned rows', (open, onDuckDb) => {
  const test = withOpened(open);

  const newTenant = async (kind: 'focus' | 'hosts' | 'opencost' | 'ai_tools'): Promise<Tenant> => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const options = kind === 'ai_tools' ? { usage_location: 'usage.csv' } : {};
    const { id: sourceId } = await newSource(test.warehouse, orgId, { kind, options } as never);
    return { orgId, sourceId };
  };
  const totalOf = async (orgId: string) => {
    const range = { start: '2026-01-01', end: '2026-01-31', previousStart: '2025-12-01' };
    return Number((await costsOf(test.warehouse, orgId, range, NOW)).total);
  };
  const loaded = async (
    kind: 'hosts' | 'opencost' | 'ai_tools',
    texts: Readonly<Record<string, string>>,
    load: (sessions: LoadSessions, tenant: Tenant, files: ExportFile[]) => Promise<LoadResult>,
  ): Promise<{ result: LoadResult; total: number }> => {
    const tenant = await newTenant(kind);
    const paths = await writeFiles(test, texts);
    const result = await loadWith(test, paths, (session, files) => load(session, tenant, files));
    return { result, total: await totalOf(tenant.orgId) };
  };

  /** Loads two files of a cluster: allocations and assets. */
  const loadCluster = (sessions: LoadSessions, tenant: Tenant, files: ExportFile[]): Promise<LoadResult> =>
    published(sessions, scopeOf(tenant), (load) =>
      stageOpenCost(sessions, load, {
        allocations: relationsOf(files.slice(0, 1)),
        assets: relationsOf(files.slice(1)),
        cluster: 'prod',
        from: 'files',
      }),
    );

  it('of a FOCUS export are rejected, and all other rows count', async () => {
    const tenant = await newTenant('focus');
    const poisoned = POISONED_FOCUS_ROWS.map(([row]) => dayLine('2026-01-10', '7', row));
    const lines = [...good.map((cost) => dayLine('2026-01-10', cost)), ...poisoned];
    const result = await loadText(test, tenant, focusCsv(lines));
    expect(result).toMatchObject({
      rowsRead: GOOD_ROWS + poisoned.length,
      rowsRejected: poisoned.length,
      rowsLeftOut: 0,
      months: ['2026-01'],
    });
    expect(await totalOf(tenant.orgId)).toBe(GOOD_ROWS);
  });

  const withReasons = POISONED_FOCUS_ROWS.map(([row, reason]) => [reason.source, row, reason] as const);
  // A reader rejects them before the warehouse has anything.
  onDuckDb(() => {
    it.each(someOf(withReasons, 12))('of a FOCUS export are reported: %s', async (_, row, reason) => {
      const tenant = await newTenant('focus');
      const lines = [
        ...good.slice(0, 100).map((cost) => dayLine('2026-01-10', cost)),
        dayLine('2026-01-10', '7', row),
      ];
      const { rejectedSamples } = await loadText(test, tenant, focusCsv(lines));
      expect(rejectedSamples).toEqual([
        expect.objectContaining({ problem: expect.stringMatching(reason) as string, rows: 1 }),
      ]);
    });
  });

  /** Returns `rows` rows of `amount` and as many of its negative on one day of each month. */
  const thatCancelOut = (months: readonly string[], amount: string, rows = 990): string[] =>
    months.flatMap((month) =>
      Array.from({ length: rows }, () => [`${month}-10,A,x,${amount}`, `${month}-10,B,x,-${amount}`]).flat(),
    );
  const MONTHS = ['2025-10', '2025-11', '2025-12'];

  it('fail their load if they cancel out but exceed what sums can hold', async () => {
    const tenant = await newTenant('focus');
    const lines = thatCancelOut(MONTHS, '1e15').map((row) => {
      const [day = '', account = '', , cost = ''] = row.split(',');
      return dayLine(day, cost, { SubAccountId: account });
    });
    const rejection =
      'billing period 2025-10-01: expected amounts of at most 1e16 in all, whatever their signs, got more; nothing was loaded';
    await expect(loadText(test, tenant, focusCsv(lines))).rejects.toThrow(rejection);
    const hosts = `day,host,service,cost\n${thatCancelOut(MONTHS, '1e15').join('\n')}\n`;
    await expect(
      loaded('hosts', { 'hosts.csv': hosts }, (sessions, of, files) =>
        published(sessions, scopeOf(of), (load) => stageHosts(sessions, load, files)),
      ),
    ).rejects.toThrow(rejection);
    const assets = thatCancelOut(MONTHS, '1e15').map((row) => row.replace(',x,', ',Node,'));
    await expect(
      loaded(
        'opencost',
        {
          'allocations.csv':
            'Date,Namespace,ControllerKind,ControllerName,TotalCost\n2025-10-10,shop,deployment,api,1\n',
          'assets.csv': `day,provider_id,kind,cost\n${assets.join('\n')}\n`,
        },
        loadCluster,
      ),
    ).rejects.toThrow(rejection);
    expect(await currentLoads(test, tenant.orgId)).toEqual([]);
  });

  it('can be summed over all months up to the largest amount of a month', async () => {
    const tenant = await newTenant('focus');
    const months = Array.from({ length: 120 }, (_, index) =>
      new Date(Date.UTC(2016, 1 + index)).toISOString().slice(0, 7),
    );
    const lines = months.flatMap((month) =>
      Array.from({ length: 10 }, () => dayLine(`${month}-05`, '1e15', { SubAccountId: 'A' })),
    );
    const { costTotal } = await loadText(test, tenant, focusCsv(lines));
    expect(costTotal).toBe(money('1200000000000000000'));
    const range = { start: '2016-01-01', end: '2026-01-31', limit: 10, offset: 0 } as const;
    for (const key of ['account', 'source', 'team', 'service'] as const) {
      const [row] = await breakdownOf(test.warehouse, tenant.orgId, [key], range, NOW);
      expect({ key, total: row?.total }).toEqual({ key, total: money('1200000000000000000') });
    }
  });

  onDuckDb(() => {
    it('fail their load if there are more billing periods than sums can hold', async () => {
      const tenant = await newTenant('focus');
      await test.warehouse.run(
        `INSERT INTO loads BY NAME
         SELECT $org AS org_id, $source AS source_id, uuidv7() AS load_id, DATE '2100-01-01' + i::INTEGER AS billing_period
         FROM range(100_000) AS days(i)`,
        { org: tenant.orgId, source: tenant.sourceId },
      );
      const text = focusCsv([dayLine('2026-01-10', '1')]);
      await expect(loadText(test, tenant, text)).rejects.toThrow(
        'expected at most 100000 billing periods of all cost sources, got more; nothing was loaded',
      );
      await test.warehouse.run(
        `DELETE FROM loads WHERE org_id = $org AND billing_period = DATE '2100-01-01'`,
        { org: tenant.orgId },
      );
      expect(await loadText(test, tenant, text)).toMatchObject({ rowsRead: 1 });
    });

    it('with texts of megabytes are rejected, and their texts are not stored', async () => {
      const tenant = await newTenant('focus');
      const long = (index: number): FocusLine => ({ SubAccountId: `${index}-${'L'.repeat(1_900_000)}` });
      const lines = [
        ...good.map((cost) => dayLine('2026-01-10', cost)),
        ...Array.from({ length: 24 }, (_, index) => dayLine('2026-01-10', '7', long(index))),
      ];
      const paths = await writeFiles(test, { 'focus.csv.gz': gzipSync(focusCsv(lines)) });
      const { rowsRejected, rejectedSamples } = await loadPaths(test, tenant, paths);
      expect(rowsRejected).toBe(24);
      expect(JSON.stringify(rejectedSamples).length).toBeLessThan(10_000);
      expect(await currentRows(test, tenant.orgId, 'cloud_spend', 'DISTINCT account')).toEqual([
        { account: '1111' },
      ]);
    });

    /** Returns charges over ten years, 1 a day, each for another machine. */
    const ofTenYears = (charges: number): string =>
      focusCsv(
        Array.from({ length: charges }, (_, index) => ({
          ChargePeriodStart: '2016-01-10T00:00:00Z',
          ChargePeriodEnd: '2026-01-10T00:00:00Z',
          EffectiveCost: '3653',
          ResourceId: `i-${index}`,
          ServiceCategory: 'Compute',
        })),
      );

    it('with charges over years are spread in parts, and every part counts', async () => {
      const tenant = await newTenant('focus');
      // 300 × 3,653 days make three parts.
      const { rowsRead, costTotal } = await loadText(test, tenant, ofTenYears(300));
      expect({ rowsRead, cost: Number(costTotal) }).toEqual({ rowsRead: 300, cost: 300 * 3653 });
      const [days] = await currentRows(
        test,
        tenant.orgId,
        'cloud_spend',
        'count(*) AS amounts, count(DISTINCT resource_id) AS machines, count(DISTINCT day) AS days, min(cost) AS least, max(cost) AS most',
      );
      expect(days).toEqual({
        amounts: String(300 * 3653),
        machines: '300',
        days: '3653',
        least: money('1'),
        most: money('1'),
      });
    });

    it('with too many charges over years are rejected, because each needs the space of thousands', async () => {
      const tenant = await newTenant('focus');
      await expect(loadText(test, tenant, ofTenYears(3_000))).rejects.toThrow(
        'ChargePeriodEnd: expected charges of at most 40 days on average, or 10000000 in all, got 3000 charges of 10962000 days in all; nothing was loaded',
      );
    });
  });

  onDuckDb(() => {
    it.each(someOf(LONG_FOCUS_TEXTS, 3))(
      'of a FOCUS export are rejected if %s is one character too long',
      async (column) => {
        const tenant = await newTenant('focus');
        const withText = (text: string) =>
          dayLine('2026-01-10', '7', { ServiceCategory: 'Compute', [column]: text });
        const lines = good.slice(0, 200).map((cost) => dayLine('2026-01-10', cost));
        // Umlauts have two bytes each, but the limit counts characters.
        const longest = column === 'BillingCurrency' ? 'USD' : 'ü'.repeat(2_000);
        const text = focusCsv([...lines, withText(longest), withText('ü'.repeat(2_001))]);
        const { rowsRejected, rejectedSamples } = await loadText(test, tenant, text);
        expect({ rowsRejected, rejectedSamples }).toMatchObject({
          rowsRejected: 1,
          rejectedSamples: [
            { problem: `${column}: expected at most 2000 characters, got "${'ü'.repeat(80)}"`, rows: 1 },
          ],
        });
        expect(await totalOf(tenant.orgId)).toBe(207);
      },
    );

    it('of a FOCUS export are rejected if a picked tag or resource group is too long', async () => {
      const tenant = await newTenant('focus');
      await choose(
        test,
        tenant.orgId,
        { kind: 'tag', cloud: 'aws', choice: 'team', firstDay: '2026-01-01' },
        { kind: 'split', cloud: 'aws', account: '1111', choice: 'service', firstDay: '2026-01-01' },
      );
      const lines = [
        ...good.slice(0, 300).map((cost) => dayLine('2026-01-10', cost, { Tags: '{"team":"web"}' })),
        dayLine('2026-01-10', '7', { Tags: JSON.stringify({ team: LONG_TEXT }) }),
        dayLine('2026-01-10', '7', { ServiceName: LONG_TEXT }),
        dayLine('2026-01-10', '7', { Tags: JSON.stringify({ other: LONG_TEXT }) }),
      ];
      const { rejectedSamples } = await loadText(test, tenant, focusCsv(lines));
      expect(rejectedSamples.map(({ problem }) => problem)).toEqual([
        `ServiceName: expected at most 2000 characters, got "${'L'.repeat(80)}"`,
        `Tags: expected at most 2000 characters, got "${'L'.repeat(80)}"`,
      ]);
      expect(await totalOf(tenant.orgId)).toBe(307);
    });

    it('of hosts are rejected', async () => {
      const rows = [
        ...good.map((cost) => `2026-01-10,db-1,postgres,${cost}`),
        ...POISONED_DAYS.map((day) => `${day},db-1,postgres,7`),
        ...POISONED_AMOUNTS.map((cost) => `2026-01-10,db-1,postgres,"${cost}"`),
        `2026-01-10,${LONG_TEXT},postgres,7`,
        `2026-01-10,db-1,${LONG_TEXT},7`,
      ];
      const { result, total } = await loaded(
        'hosts',
        { 'hosts.csv': `day,host,service,cost\n${rows.join('\n')}\n` },
        (sessions, tenant, files) =>
          published(sessions, scopeOf(tenant), (load) => stageHosts(sessions, load, files)),
      );
      expect(result.rowsRejected).toBe(POISONED_DAYS.length + POISONED_AMOUNTS.length + 2);
      expect(result.rejectedSamples).toContainEqual(
        expect.objectContaining({
          problem: `host: expected at most 2000 characters, got "${'L'.repeat(80)}"`,
        }),
      );
      expect(result.rowsRead).toBe(rows.length);
      expect(total).toBe(GOOD_ROWS);
    });

    it('of clusters and their assets are rejected', async () => {
      const allocations = [
        ...good.map((cost) => `2026-01-10,shop,deployment,api,${cost}`),
        ...POISONED_DAYS.map((day) => `${day},shop,deployment,api,7`),
        ...POISONED_AMOUNTS.map((cost) => `2026-01-10,shop,deployment,api,"${cost}"`),
        `2026-01-10,${LONG_TEXT},deployment,api,7`,
        `2026-01-10,shop,deployment,${LONG_TEXT},7`,
      ];
      const assets = [
        ...good.map(() => '2026-01-10,Node,i-1,0.5'),
        ...POISONED_DAYS.map((day) => `${day},Node,i-1,7`),
        ...POISONED_AMOUNTS.map((cost) => `2026-01-10,Node,i-1,"${cost}"`),
        `2026-01-10,Node,${LONG_TEXT},7`,
        `2026-01-10,${LONG_TEXT},i-1,7`,
      ];
      const { result, total } = await loaded(
        'opencost',
        {
          'allocations.csv': `Date,Namespace,ControllerKind,ControllerName,TotalCost\n${allocations.join('\n')}\n`,
          'assets.csv': `day,kind,provider_id,cost\n${assets.join('\n')}\n`,
        },
        loadCluster,
      );
      expect(result.rowsRejected).toBe(2 * (POISONED_DAYS.length + POISONED_AMOUNTS.length + 2));
      expect(result.rowsRead).toBe(allocations.length + assets.length);
      // The node is on no bill, so the cluster costs as much as its assets.
      expect(total).toBe(GOOD_ROWS / 2);
    });

    it('of AI tools and their usage are rejected', async () => {
      const spend = [
        ...good.map((cost) => `2026-01-10,Copilot,${cost}`),
        ...POISONED_DAYS.map((day) => `${day},Copilot,7`),
        ...POISONED_AMOUNTS.map((cost) => `2026-01-10,Copilot,"${cost}"`),
        `2026-01-10,${LONG_TEXT},7`,
      ];
      const usage = [
        ...good.map(() => '2026-01-10,Copilot,github.com/acme/web,1'),
        ...POISONED_DAYS.map((day) => `${day},Copilot,github.com/acme/web,7`),
        `2026-01-10,Copilot,${LONG_TEXT},7`,
        ...[...POISONED_AMOUNTS, '1e13', '-1'].map(
          (used) => `2026-01-10,Copilot,github.com/acme/web,"${used}"`,
        ),
      ];
      const { result, total } = await loaded(
        'ai_tools',
        {
          'spend.csv': `day,tool,cost\n${spend.join('\n')}\n`,
          'usage.csv': `day,tool,repository,usage\n${usage.join('\n')}\n`,
        },
        (sessions, tenant, files) =>
          published(sessions, scopeOf(tenant), (load) =>
            stageAiTools(sessions, load, { spend: files.slice(0, 1), usage: files.slice(1) }),
          ),
      );
      expect(result.rowsRejected).toBe(2 * (POISONED_DAYS.length + POISONED_AMOUNTS.length + 1) + 2);
      expect(result.rowsRead).toBe(spend.length + usage.length);
      expect(total).toBe(GOOD_ROWS);
    });
  });

  it('of an unforeseen kind fail their load, because a load that cannot be computed is never current', async () => {
    const tenant = await newTenant('hosts');
    const load = async (row: string, spoil: (session: Session) => Promise<void>) =>
      loadWith(
        test,
        await writeFiles(test, { 'hosts.csv': `day,host,service,cost\n${row}\n` }),
        async (sessions, files) => {
          const { session } = sessions;
          const scope = scopeOf(tenant);
          const staged = await stageHosts(sessions, await beginLoad(session, scope), files);
          return publishComputed(test.warehouse, session, scope, async () => {
            const result = await publishLoad(session, staged);
            await spoil(session);
            return result;
          });
        },
      );
    const asRead = () => Promise.resolve();
    await load('2026-01-10,db-1,postgres,5', asRead);
    expect(await totalOf(tenant.orgId)).toBe(5);
    // No feed can produce this load, and no computation of it ends.
    const endless = async (session: Session) => {
      await session.run(
        `UPDATE loads SET last_day = DATE 'infinity'
         WHERE org_id = $org AND load_id = (SELECT max(load_id) FROM loads WHERE org_id = $org)`,
        { org: tenant.orgId },
      );
    };
    await expect(load('2026-01-11,db-1,postgres,9', endless)).rejects.toThrow();
    expect(await totalOf(tenant.orgId)).toBe(5);
    await load('2026-01-10,db-1,postgres,6', asRead);
    expect(await totalOf(tenant.orgId)).toBe(6);
  });
});
