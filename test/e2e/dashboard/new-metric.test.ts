import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, expectRows, openFromMenu } from '../../support/browser/browser.ts';
import { dayLine } from '../../support/exports/focus-export.ts';
import { exportsIn } from '../../support/exports/write-export.ts';
import { createMetric } from '../../support/service/create.ts';
import { newIngestedSource, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { loadBill } from '../../support/service/load-bill.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

const HEAD = 'Add What Collected Cost in 2026-01';

/**
 * A new metric whose cost an admin picks. It is 7 February 2026, so that options show their cost in January. Numbers are
 * calculated by hand (USD):
 *
 *   account 1111 (Shop)    S3 10 (team search), RDS 30.5 (team web), together 40.5
 *   account 2222 (Search)  S3 5 (team search, env test)
 *   cluster prod           shop/api 12, shop/worker 3, search/find 2
 */
describeInBrowser('the form for a new metric', (browser) => {
  let service: SharedService;
  let admin: Api;
  let page: Page;

  const options = (): Locator => page.getByRole('table', { name: 'What can be chosen' });
  const chosen = (): Locator => page.getByRole('table', { name: 'Chosen spend' });
  const create = (): Promise<void> => page.getByRole('button', { name: 'Create metric' }).click();
  const add = (name: string): Promise<void> =>
    page.getByRole('button', { name: `Add ${name}`, exact: true }).click();

  const openForm = async (): Promise<void> => {
    await openFromMenu(page, 'Metrics');
    await page.getByRole('link', { name: 'New metric' }).click();
    await page.getByLabel('Chosen parts of spend').check();
  };
  const metricsButOrders = async (): Promise<{ name: string }[]> =>
    expectPage(await admin.get<{ name: string }[]>('/metrics')).items.filter(({ name }) => name !== 'Orders');

  beforeAll(async () => {
    service = await sharedService();
    const organisation = await newOrganisation(service, { name: 'Metric shop', tier: 'business' });
    ({ admin } = organisation);
    const file = exportsIn(service.exportsDir);
    const bill = [
      dayLine('2026-01-10', '10', { ServiceName: 'Amazon S3', Tags: '{"team":"search"}' }),
      dayLine('2026-01-11', '30.5', { Tags: '{"team":"web"}' }),
      dayLine('2026-01-28', '5', {
        SubAccountId: '2222',
        SubAccountName: 'Search',
        ServiceName: 'Amazon S3',
        Tags: '{"team":"search","env":"test"}',
      }),
    ];
    await loadBill(service, admin, bill);
    const allocations = [
      'Date,Namespace,ControllerKind,ControllerName,TotalCost',
      '2026-01-28,shop,Deployment,api,12',
      '2026-01-28,shop,Deployment,worker,3',
      '2026-01-28,search,Deployment,find,2',
    ];
    await newIngestedSource(admin, {
      name: 'Cluster',
      kind: 'opencost',
      options: { cluster: 'prod' },
      location: await file('allocations.csv', allocations.join('\n')),
    });
    await createMetric(admin);
    ({ page } = await browser().signedIn(service.url, organisation.secret));
  });

  it('lists what can be picked, dearest first, and finds it by words and by kind', async () => {
    await openForm();
    await expectRows(options(), [
      HEAD,
      'Shop always $40.50',
      'Shop / Amazon RDS from today on $30.50',
      'aws / team=web from today on $30.50',
      'prod / shop always $15.00',
      'aws / team=search from today on $15.00',
      'prod / shop / deployment/api always $12.00',
      'Shop / Amazon S3 from today on $10.00',
      'Search always $5.00',
      'Search / Amazon S3 from today on $5.00',
      'aws / env=test from today on $5.00',
      'prod / shop / deployment/worker always $3.00',
      'prod / search always $2.00',
      'prod / search / deployment/find always $2.00',
    ]);
    await page.getByLabel('Find spend').fill('AMAZON s3');
    await expectRows(options(), [
      HEAD,
      'Shop / Amazon S3 from today on $10.00',
      'Search / Amazon S3 from today on $5.00',
    ]);
    await page.getByLabel('Find spend').fill('search');
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Kubernetes' }).click();
    await expectRows(options(), [
      HEAD,
      'prod / search always $2.00',
      'prod / search / deployment/find always $2.00',
    ]);
    await page.getByLabel('Find spend').fill('nothing has this');
    await page.getByText('Nothing was found.').waitFor();
  });

  it('shows what picks cost, share and lack, and makes a metric with exactly these', async () => {
    await openForm();
    await page.getByLabel('Name').fill('Orders');
    await page.getByLabel('Unit').fill('checkout');
    await create();
    await page.getByRole('alert').getByText('Expected at least one part of spend').waitFor();
    await add('prod / shop');
    await add('prod / shop / deployment/api');
    await expectRows(chosen(), [
      'Chosen Collected Cost in 2026-01 Remove',
      'prod / shop always $15.00',
      'prod / shop / deployment/api always $12.00',
      'Together, each dollar once $15.00',
    ]);
    await page.getByText('$12.00 are in more than one of them, and count once.').waitFor();
    expect(await page.getByRole('button', { name: 'Add prod / shop', exact: true }).isDisabled()).toBe(true);
    await add('aws / team=search');
    await page.getByRole('button', { name: 'Remove prod / shop / deployment/api' }).click();
    await expectRows(chosen(), [
      'Chosen Collected Cost in 2026-01 Remove',
      'prod / shop always $15.00',
      'aws / team=search from today on $15.00',
      'Together, each dollar once $30.00',
    ]);
    const notes = page.getByRole('status').filter({ hasText: 'Know before you save' });
    expect(await notes.getByRole('listitem').allInnerTexts()).toEqual([
      'Tag key "team" of aws is collected from 2026-02-07 on; earlier months are partial and cannot be locked.',
      "The cost of aws / team=search is the bill's, because it is not collected in that month; its overlap with other picks is not known.",
    ]);
    // Another metric has the name.
    await create();
    await page
      .getByRole('alert')
      .getByText(/"Orders"/)
      .waitFor();
    await page.getByLabel('Name').fill('Checkouts');
    await page.getByLabel('Target').fill('0.5');
    await page.getByLabel('One value a month').check();
    await create();
    await page.getByRole('heading', { name: 'Checkouts', level: 1 }).waitFor();
    const january = page.getByRole('table', { name: 'Months' }).getByRole('row', { name: /2026-01/ });
    await january.getByText('Partial', { exact: true }).waitFor();
    expect(await metricsButOrders()).toMatchObject([
      {
        name: 'Checkouts',
        unit: 'checkout',
        kind: 'count',
        frequency: 'monthly',
        target: 0.5,
        scope: {
          type: 'spend',
          spend: [
            { source: 'kubernetes', cluster: 'prod', namespace: 'shop' },
            { source: 'cloud', cloud: 'aws', tag: { key: 'team', value: 'search' } },
          ],
        },
      },
    ]);
  });

  it('says before and after saving that another tag key is in use', async () => {
    await openForm();
    await page.getByLabel('Name').fill('Tests');
    await page.getByLabel('Unit').fill('test');
    await add('aws / env=test');
    const words = /tag key "team" .*metric "Checkouts"/;
    await page.getByRole('status').filter({ hasText: 'This cannot be saved' }).getByText(words).waitFor();
    await create();
    await page.getByRole('alert').getByText(words).waitFor();
    expect(await metricsButOrders()).toHaveLength(1);
  });

  it.each(['write', 'read'])('is not there for a %s key', async (permission) => {
    const { secret } = expectData(
      await admin.post<{ secret: string }>('/keys', { name: permission, permission }),
    );
    const other = await browser().signedIn(service.url, secret);
    await openFromMenu(other.page, 'Metrics');
    await other.page.getByRole('table', { name: 'All metrics' }).getByText('Checkouts').waitFor();
    expect(await other.page.getByRole('link', { name: 'New metric' }).count()).toBe(0);
    await other.page.goto('/business-metrics/new');
    await other.page.getByText('Only keys with the permission admin make metrics.').waitFor();
    expect(await other.page.getByRole('button', { name: 'Create metric' }).count()).toBe(0);
  });
});
