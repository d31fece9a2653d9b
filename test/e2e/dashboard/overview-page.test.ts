import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, expectRows } from '../../support/browser/browser.ts';
import { dayLine } from '../../support/exports/focus-export.ts';
import { exportsIn } from '../../support/exports/write-export.ts';
import { createMetric } from '../../support/service/create.ts';
import { newIngestedSource, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { loadBill } from '../../support/service/load-bill.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/**
 * What people see first. It is 7 February 2026, and bills have come through the 5th. Numbers are calculated by hand (USD):
 *
 *             2025-12   January 1 to 5   later in January   February 1 to 5
 *   cloud         300              100                400               132
 *   cluster         0               20                  0                10
 *   together      300              120                400               142
 *
 * Orders: 1,000 in December, 0.30 each, and 2,600 in January, 0.20 each.
 */
describeInBrowser('the overview', (browser) => {
  let service: SharedService;
  let admin: Api;
  let secret: string;
  let orders: string;

  beforeAll(async () => {
    service = await sharedService();
    ({ admin, secret } = await newOrganisation(service, { name: 'First shop', tier: 'business' }));
    await loadBill(service, admin, [
      dayLine('2025-12-01', '300'),
      dayLine('2026-01-01', '50'),
      dayLine('2026-01-05', '50'),
      dayLine('2026-01-31', '400'),
      dayLine('2026-02-01', '66'),
      dayLine('2026-02-05', '66'),
    ]);
    const allocations = [
      'Date,Namespace,ControllerKind,ControllerName,TotalCost',
      '2026-01-01,shop,Deployment,api,20',
      '2026-02-05,shop,Deployment,api,10',
    ];
    await newIngestedSource(admin, {
      name: 'Cluster',
      kind: 'opencost',
      options: { cluster: 'prod' },
      location: await exportsIn(service.exportsDir)('allocations.csv', allocations.join('\n')),
    });
    const values = [
      { period: '2025-12', value: 1_000 },
      { period: '2026-01', value: 2_600 },
    ];
    orders = await createMetric(admin, { frequency: 'monthly', target: 0.15 }, values);
  });

  it('compares the month with the same days of the last one, and each metric with its past', async () => {
    const { page } = await browser().signedIn(service.url, secret);
    await expectRows(page.getByRole('table', { name: 'Spend this month by source' }), [
      'Source This month Same days before Change',
      'Cloud $132.00 $100.00 +32.0%',
      'Kubernetes $10.00 $20.00 -50.0%',
      'Hosts $0.00 $0.00 – nothing was spent on the same days of the month before',
      'AI tools $0.00 $0.00 – nothing was spent on the same days of the month before',
    ]);
    // 142 / 120 - 1 = 18.3 %
    await page.getByText('+18.3% against the same days of last month').waitFor();
    await page.getByText('Through 2026-02-05, delivered by every source').waitFor();
    // Cost 520 / 300 - 1 = 73.3 %, and 0.20 / 0.30 - 1 = -33.3 %.
    const row = page.getByRole('table', { name: 'Metrics' }).getByRole('row', { name: /Orders/ });
    const text = (await row.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).toContain('$0.200 per order, 2026-01');
    expect(text).toContain('Above $0.150');
    expect(text).toContain('Spend +73.3%, cost per order -33.3%');
  });

  it('lists what waits for someone, and leads there', async () => {
    const { page } = await browser().signedIn(service.url, secret);
    const waiting = page.getByLabel('Waiting for someone').getByRole('listitem');
    await waiting.getByText('Orders is ready to lock: 2026-01, 2025-12.').waitFor();
    expectData(await admin.post(`/metrics/${orders}/months/2026-01/lock`));
    expectData(
      await admin.post(`/metrics/${orders}/values`, { values: [{ period: '2026-01', value: 2_000 }] }),
    );
    await page.reload();
    await waiting.getByText('Orders has changed since its lock: 2026-01.').waitFor();
    expect(await waiting.allInnerTexts()).toContain('Orders is ready to lock: 2025-12.');
    await waiting.filter({ hasText: 'changed since its lock' }).getByRole('link', { name: 'Orders' }).click();
    await page.getByRole('button', { name: 'Lock 2026-01 again' }).waitFor();
  });

  it('says what to do first in an organisation without data', async () => {
    const { page } = await browser().signedIn(
      service.url,
      (await newOrganisation(service, { name: 'Empty shop' })).secret,
    );
    await page.getByText(/^There is no spend yet\./).waitFor();
    await page.getByText(/^Nothing waits\./).waitFor();
    await page.getByText(/There is none yet\.$/).waitFor();
    await page.getByRole('link', { name: 'Connect a source' }).click();
    await page.getByRole('heading', { name: 'Connect a source', level: 1 }).waitFor();
  });

  it('asks nothing that the Starter plan does not include, and names the plan that does', async () => {
    const starter = await newOrganisation(service, { name: 'Small shop', tier: 'starter' });
    const visit = await browser().signedIn(service.url, starter.secret);
    const { page } = visit;
    const navigation = page.getByRole('navigation');
    for (const name of ['Metrics', 'Teams']) {
      await navigation.getByRole('link', { name, exact: true }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.getByText(/Professional/).waitFor();
    }
    await page.goto('/settings?show=organisation');
    await page.getByRole('heading', { name: 'Plan: Starter' }).waitFor();
    expect(visit.answers.filter(({ status }) => status === 403)).toEqual([]);
  });
});
