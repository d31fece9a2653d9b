import { readFile } from 'node:fs/promises';
import type { Download, Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, expectRows, openFromMenu } from '../../support/browser/browser.ts';
import { dayLine } from '../../support/exports/focus-export.ts';
import { exportsIn } from '../../support/exports/write-export.ts';
import { newIngestedSource, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { loadBill } from '../../support/service/load-bill.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';
import { parquetRows } from '../../support/warehouse/duckdb-files.ts';

/**
 * Spend by days and groupings. It is 7 February 2026. Numbers are calculated by hand (USD):
 *
 *               account 1111 (Shop)     account 2222 (Search)   cluster prod, billed 25, reported 20
 *   2025-12-31  100
 *   2026-01-10  10.1254
 *   2026-01-11  30
 *   2026-01-28                          5.5                     shop/api 12, shop/worker 3, search/find 1
 *   2026-02-03                          40
 *
 * January: cloud 10.1254 + 30 + 5.5 = 45.6254, and the cluster 25, together 70.6254. Shares: 64.6% and 35.4%.
 * The 31 days before cost 100: 70.6254 / 100 - 1 = -29.4%. Namespaces have 15 and 1, which leaves 54.6254.
 */
describeInBrowser('the costs page', (browser) => {
  let service: SharedService;
  let admin: Api;
  let page: Page;

  const closed = [
    'Source Cost Share of total',
    'Cloud $45.63 64.6%',
    'Kubernetes $25.00 35.4%',
    'Total $70.63 100%',
  ];

  const table = (name: string): Locator => page.getByRole('table', { name, exact: true });
  const section = (name: string): Locator => page.getByRole('region', { name, exact: true });

  /** Chooses an entry of a list as people do: they open the list and click. */
  const choose = async (label: string, option: string): Promise<void> => {
    await page.getByRole('combobox', { name: label, exact: true }).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  };

  const showLastMonth = async (): Promise<void> => {
    await page.goto('/costs');
    await page.getByLabel('Days', { exact: true }).click();
    await page.getByRole('button', { name: 'Last month' }).click();
    await page.getByLabel('Days', { exact: true }).getByText('2026-01-01 to 2026-01-31').waitFor();
  };

  beforeAll(async () => {
    service = await sharedService();
    const organisation = await newOrganisation(service, { name: 'Costs shop', tier: 'business' });
    ({ admin } = organisation);
    const file = exportsIn(service.exportsDir);
    const search = { SubAccountId: '2222', SubAccountName: 'Search' };
    const bill = [
      dayLine('2025-12-31', '100'),
      dayLine('2026-01-10', '10.1254'),
      dayLine('2026-01-11', '30'),
      dayLine('2026-01-28', '25', { ResourceId: 'i-1', ServiceCategory: 'Compute' }),
      dayLine('2026-01-28', '5.5', search),
      dayLine('2026-02-03', '40', search),
    ];
    await loadBill(service, admin, bill);
    const allocations = [
      'Date,Namespace,ControllerKind,ControllerName,TotalCost',
      '2026-01-28,shop,Deployment,api,12',
      '2026-01-28,shop,Deployment,worker,3',
      '2026-01-28,search,Deployment,find,1',
      '2026-01-28,__idle__,,,4',
    ];
    await newIngestedSource(admin, {
      name: 'Cluster',
      kind: 'opencost',
      location: await file('allocations.csv', allocations.join('\n')),
      options: {
        cluster: 'prod',
        assets_location: await file('assets.csv', 'day,kind,provider_id,cost\n2026-01-28,Node,i-1,20\n'),
      },
    });
    ({ page } = await browser().signedIn(service.url, organisation.secret));
  });

  it('sums the chosen days, with the exact amount on hover and the days before', async () => {
    await openFromMenu(page, 'Costs');
    // The running month and the one before it: 45.6254 + 25 + 40.
    await section('Total').getByText('$110.63').waitFor();
    await showLastMonth();
    const total = section('Total').getByText('$70.63');
    await total.waitFor();
    expect(await total.getAttribute('title')).toBe('70.6254');
    await section('Total').getByText('-29.4% against the 31 days before ($100.00)').waitFor();
    await expectRows(table('Spend by source'), closed);
    expect(await table('Spend by source').getByText('$45.63').getAttribute('title')).toBe('45.6254');
    expect(expectData(await admin.get('/costs?start_date=2026-01-01&end_date=2026-01-31'))).toMatchObject({
      total: 70.6254,
      by_source: { cloud: 45.6254, kubernetes: 25 },
    });
  });

  it('takes two days of the calendar as a range', async () => {
    await showLastMonth();
    await page.getByLabel('Days', { exact: true }).click();
    await page.getByRole('button', { name: '10 January 2026' }).click();
    await page.getByRole('button', { name: '11 January 2026' }).click();
    await section('Total').getByText('$40.13').waitFor();
    expect(page.url()).toMatch(/start=2026-01-10.*end=2026-01-11/);
  });

  it('opens a part to finer ones, narrows to a day and comes back, and keeps all in the address', async () => {
    // A bar of the chart leads to its month and opens its part.
    await page.goto('/costs?step=month');
    await section('By month').locator('.recharts-bar-rectangle').first().click();
    await page.getByLabel('Days', { exact: true }).getByText('2026-01-01 to 2026-01-31').waitFor();
    const opened = [
      'Source Cost Share of total',
      'Cloud $45.63 64.6%',
      'Shop 1111 $40.13 56.8%',
      'Search 2222 $5.50 7.8%',
      'Kubernetes $25.00 35.4%',
      'Total $70.63 100%',
    ];
    await expectRows(table('Spend by source'), opened);
    const byDay = section('By day');
    await byDay.getByText('Table', { exact: true }).click();
    const ofDays = table('spend by day and source');
    await ofDays.getByRole('row', { name: 'Total $45.63 $25.00 $70.63' }).waitFor();
    await byDay.getByText('Month', { exact: true }).click();
    await expectRows(table('spend by month and source'), [
      'Period Cloud Kubernetes Total',
      '2026-01 $45.63 $25.00 $70.63',
      'Total $45.63 $25.00 $70.63',
    ]);
    await section('By month').getByText('Day', { exact: true }).click();
    await page.reload();
    await expectRows(table('Spend by source'), opened);
    await ofDays.getByRole('button', { name: 'Show only 2026-01-28' }).click();
    await section('Total').getByText('$30.50').waitFor();
    await expectRows(ofDays, [
      'Period Kubernetes Cloud Total',
      '2026-01-28 $25.00 $5.50 $30.50',
      'Total $25.00 $5.50 $30.50',
    ]);
    await page.goBack();
    await section('Total').getByText('$70.63').waitFor();
    await expectRows(table('Spend by source'), opened);
    await table('Spend by source').getByRole('button', { name: 'Cloud' }).click();
    await expectRows(table('Spend by source'), closed);
    await byDay.getByText('Chart', { exact: true }).click();
    await byDay.getByRole('list').getByRole('button', { name: 'Kubernetes' }).click();
    await table('Spend by source').getByRole('row', { name: 'prod $25.00 35.4%' }).waitFor();
  });

  it('groups by two keys, orders and finds names, and says what belongs to none', async () => {
    await showLastMonth();
    await choose('By', 'Namespace');
    await choose('Then by', 'Workload');
    const parts = table('Spend by namespace, then by workload');
    const head = 'Namespace Cost Share of total';
    const rest = 'not assigned $54.63 77.3%';
    const shop = ['shop $15.00 21.2%', 'deployment/api $12.00 17%', 'deployment/worker $3.00 4.2%'];
    const search = ['search $1.00 1.4%', 'deployment/find $1.00 1.4%'];
    const total = 'Total $70.63 100%';
    await expectRows(parts, [head, rest, rest, ...shop, ...search, total]);
    const why = parts.getByRole('button', { name: /^Why not assigned: .*idle capacity of clusters/ });
    await why.first().hover();
    await page
      .getByRole('tooltip')
      .getByText(/not in a namespace/)
      .waitFor();
    await parts.getByRole('button', { name: 'Namespace', exact: true }).click();
    await expectRows(parts, [head, rest, rest, ...search, ...shop, total]);
    await page.getByLabel('Find a name').fill('WORKER');
    const found = [head, 'shop $15.00 21.2%', 'deployment/worker $3.00 4.2%', 'Found $3.00 4.2%', total];
    await expectRows(parts, found);
    await page.reload();
    await expectRows(parts, found);
    await page.getByLabel('Find a name').fill('nothing has this');
    await page.getByText('Nothing has this in its name.').waitFor();
  });

  it('compares a cluster with its bill', async () => {
    await showLastMonth();
    await expectRows(table('Reported and billed amounts'), [
      'Cluster or host Reported Billed Outside bills Difference',
      'prod Kubernetes $20.00 $25.00 $0.00 $5.00',
    ]);
  });

  it('downloads every row with all decimals, as CSV and as Parquet', async () => {
    await showLastMonth();
    await choose('By', 'Account');
    const download = async (format: string): Promise<Download> => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download spend by account' }).click();
      await page.getByRole('menuitem', { name: format }).click();
      return saved;
    };
    const csv = await download('CSV');
    expect(csv.suggestedFilename()).toBe('costs-by-account-2026-01-01-to-2026-01-31.csv');
    expect((await readFile(await csv.path(), 'utf8')).trim().split(/\r?\n/)).toEqual([
      'account,account_name,total',
      '1111,Shop,40.1254',
      ',,25',
      '2222,Search,5.5',
    ]);
    const parquet = await download('Parquet');
    expect(parquet.suggestedFilename()).toBe('costs-by-account-2026-01-01-to-2026-01-31.parquet');
    expect(await parquetRows(await parquet.path())).toEqual([
      { account: '1111', account_name: 'Shop', total: '40.125400' },
      { account: null, account_name: null, total: '25.000000' },
      { account: '2222', account_name: 'Search', total: '5.500000' },
    ]);
  });

  it('shows a read key the same, downloads included', async () => {
    const { secret } = expectData(
      await admin.post<{ secret: string }>('/keys', { name: 'Reader', permission: 'read' }),
    );
    const path = '/costs?start=2026-01-01&end=2026-01-31&by=account&view=table&step=month';
    const main = async (of: Page): Promise<string> => {
      await of.goto(path);
      await of.getByRole('table', { name: 'Spend by account' }).getByText('$40.13').waitFor();
      await of.waitForLoadState('networkidle');
      return of.getByRole('main').innerText();
    };
    const reader = await browser().signedIn(service.url, secret);
    expect(await main(reader.page)).toBe(await main(page));
    const saved = reader.page.waitForEvent('download');
    await reader.page.getByRole('button', { name: 'Download spend by account' }).click();
    await reader.page.getByRole('menuitem', { name: 'CSV' }).click();
    expect(await readFile(await (await saved).path(), 'utf8')).toContain('1111,Shop,40.1254');
  });
});
