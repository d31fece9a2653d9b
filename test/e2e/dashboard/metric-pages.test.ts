import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, openFromMenu, signInWith } from '../../support/browser/browser.ts';
import { dayLine } from '../../support/exports/focus-export.ts';
import { createMetric, SALES } from '../../support/service/create.ts';
import { as, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { loadBill } from '../../support/service/load-bill.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/**
 * What people do with a metric on its page. It is 7 February 2026. Numbers are calculated by hand.
 *
 * Cost (USD):  2025-12  300   Orders: 1,000   0.30 per order
 *              2026-01  400           1,600   0.25 per order
 */
describeInBrowser('the pages of a metric', (browser) => {
  let service: SharedService;
  let admin: Api;
  let secret: string;
  let orders: string;

  const monthOf = async (month: string) =>
    expectData(
      await admin.get<
        { month: string; status: string; value: number; unit_cost: number; version: number | null }[]
      >(`/metrics/${orders}/months`),
    ).find((each) => each.month === month);

  const keyOf = async (permission: string): Promise<string> =>
    expectData(await admin.post<{ secret: string }>('/keys', { name: permission, permission })).secret;

  const openMetric = async (page: Page, name: string): Promise<void> => {
    await openFromMenu(page, 'Overview');
    await page.getByRole('table', { name: 'Metrics' }).getByRole('link', { name }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  };

  beforeAll(async () => {
    service = await sharedService();
    ({ admin, secret } = await newOrganisation(service, { name: 'Page shop', tier: 'business' }));
    await loadBill(service, admin, [
      dayLine('2025-12-01', '100'),
      dayLine('2025-12-31', '200'),
      dayLine('2026-01-01', '150'),
      dayLine('2026-01-31', '250'),
      dayLine('2026-02-05', '10'),
    ]);
    const values = [
      { period: '2025-12-01', value: 1_000 },
      { period: '2026-01-31', value: 1_600 },
    ];
    orders = await createMetric(admin, {}, values);
    await createMetric(admin, SALES);
  });

  it('refuses a wrong key with an alert, and signs in with a right one', async () => {
    const visit = await browser().visit(service.url);
    await visit.page.getByLabel('API key', { exact: true }).fill('ca_nobody_has_this');
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.getByRole('alert').getByText('this API key is not valid').waitFor();
    await signInWith(visit, secret);
    const navigation = visit.page.getByRole('navigation');
    for (const name of ['Overview', 'Metrics', 'Costs', 'Teams', 'Sources', 'Settings'])
      expect(await navigation.getByRole('link', { name, exact: true }).count()).toBe(1);
    const row = visit.page.getByRole('table', { name: 'Metrics' }).getByRole('row', { name: /Orders/ });
    expect(await row.innerText()).toContain('$0.250');
  });

  it('locks a month, shows that a value changed since, and locks it again', async () => {
    const { page } = await browser().signedIn(service.url, secret);
    await openMetric(page, 'Orders');
    const months = page.getByRole('table', { name: 'Months' });
    expect(await months.getByRole('columnheader').allInnerTexts()).toEqual([
      ...['Month', 'Cost', 'Value', 'Unit cost', 'Change', 'Status'],
    ]);
    const january = months.getByRole('row', { name: /2026-01/ });
    expect((await january.innerText()).split(/\s+/).slice(0, 5)).toEqual([
      '2026-01',
      '$400.00',
      '1,600',
      '$0.250',
      '-16.7%',
    ]);
    await january.getByRole('button', { name: 'Lock 2026-01' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('row', { name: /Version 1/ }).innerText()).toMatch(
      /\$400\.00\s+1,600\s+\$0\.250/,
    );
    await dialog.getByRole('button', { name: 'Lock', exact: true }).click();
    await january.getByText('Locked', { exact: true }).waitFor();
    expect(await monthOf('2026-01')).toMatchObject({ status: 'locked', version: 1, unit_cost: 0.25 });

    // 400 more orders: 400 / 2,000 = 0.20 today, and 0.25 in the lock.
    await page.getByRole('button', { name: 'Add value' }).click();
    await page.getByLabel('Period').fill('2026-01-30');
    await page.getByLabel('Value').fill('400');
    await page.getByRole('button', { name: 'Save' }).click();
    await january.getByText('Changed since lock').waitFor();
    await january.getByRole('button', { name: 'Versions of 2026-01' }).click();
    const versions = page.getByRole('dialog').getByRole('table', { name: 'Versions of 2026-01' });
    expect(await versions.getByRole('row', { name: /Unit cost/ }).innerText()).toMatch(/\$0\.200\s+\$0\.250/);
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /2026-01-30/ })
      .waitFor();
    await page.keyboard.press('Escape');
    await january.getByRole('button', { name: 'Lock 2026-01 again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Lock', exact: true }).click();
    await january.getByText('2 versions').waitFor();
    expect(await monthOf('2026-01')).toMatchObject({ status: 'locked', version: 2, unit_cost: 0.2 });
  });

  it('uploads a CSV file, and shows the wrong lines of another', async () => {
    const { page } = await browser().signedIn(service.url, secret);
    await openMetric(page, 'Orders');
    const upload = async (text: string): Promise<void> => {
      const chooser = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Upload CSV' }).click();
      await (await chooser).setFiles({ name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    };
    await upload('period,value\n2026-02-01,10\n2026-02-02,ten\n2026-02-30,5\n');
    const wrong = page.getByRole('table', { name: 'Wrong lines' });
    expect(await wrong.getByRole('row', { name: /2026-02-02,ten/ }).innerText()).toContain('3');
    expect(await wrong.getByRole('row', { name: /2026-02-30,5/ }).innerText()).toContain('4');
    await page.getByRole('button', { name: 'Close', exact: true }).last().click();
    expect((await monthOf('2026-02'))?.value).toBeNull();
    await upload('period,value\n2026-02-01,10\n2026-02-02,11\n');
    await page.getByText('orders.csv: 2 values are new, 0 replaced, 0 unchanged.').waitFor();
    expect((await monthOf('2026-02'))?.value).toBe(21);
  });

  it('edits a value in the grid, and takes the edit back', async () => {
    const { page } = await browser().signedIn(service.url, secret);
    await page.goto(`/business-metrics/${orders}?show=values`);
    await page.getByLabel('From').fill('2025-12');
    const december = async (): Promise<number | undefined> => (await monthOf('2025-12'))?.value;
    await page.getByRole('button', { name: /Change the value of 2025-12-01/ }).click();
    const cell = page.getByRole('textbox', { name: 'Value of 2025-12-01' });
    await cell.fill('1200');
    await cell.press('Enter');
    await page.getByRole('button', { name: /2025-12-01, now 1200/ }).waitFor();
    expect(await december()).toBe(1_200);
    await page.getByRole('button', { name: 'Undo (1)' }).click();
    await page.getByRole('button', { name: /2025-12-01, now 1000/ }).waitFor();
    expect(await december()).toBe(1_000);
  });

  it.each([
    ['write', true],
    ['read', false],
  ] as const)('shows a %s key what it may do', async (permission, maySet) => {
    const { page } = await browser().signedIn(service.url, await keyOf(permission));
    await openMetric(page, 'Orders');
    await page.getByRole('table', { name: 'Months' }).waitFor();
    expect(await page.getByRole('button', { name: /^Lock / }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Upload CSV' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Add value' }).count()).toBe(maySet ? 1 : 0);
    await openMetric(page, 'Sales');
    await page.getByText('Only admins see the numbers of a revenue metric.').waitFor();
  });

  it('ends at once when its key is revoked', async () => {
    const { id, secret: ending } = expectData(
      await admin.post<{ id: string; secret: string }>('/keys', { name: 'Ending', permission: 'read' }),
    );
    const { page } = await browser().signedIn(service.url, ending);
    expectData(await as(service, secret).delete(`/keys/${id}`));
    // The sign-in comes instead of the page, so that this does not wait for the page.
    await page.getByRole('navigation').getByRole('link', { name: 'Costs' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(page.url()).toContain('next=%2Fcosts');
  });
});
