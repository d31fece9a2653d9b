import type { Locator, Page } from 'playwright-core';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { describeInBrowser, type Visit } from '../../support/browser/browser.ts';
import { dayLine } from '../../support/exports/focus-export.ts';
import { createMetric } from '../../support/service/create.ts';
import { newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { loadBill } from '../../support/service/load-bill.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

const NOT_REACHED = 'The service cannot be reached. Check the connection and try again.';

/** What people change without a network. It is 7 February 2026, and January can be locked. */
describeInBrowser('a change without a network', (browser) => {
  let service: SharedService;
  let admin: Api;
  let secret: string;
  let orders: string;
  let visit: Visit;
  let page: Page;
  let dialog: Locator;
  /** Changes that the browser began to send. */
  let sent: string[];

  const january = async () =>
    expectData(
      await admin.get<{ month: string; status: string; value: number }[]>(`/metrics/${orders}/months`),
    ).find(({ month }) => month === '2026-01');

  beforeAll(async () => {
    service = await sharedService();
    ({ admin, secret } = await newOrganisation(service, { name: 'Offline shop', tier: 'business' }));
    await loadBill(service, admin, [
      dayLine('2026-01-01', '150'),
      dayLine('2026-01-31', '250'),
      dayLine('2026-02-05', '10'),
    ]);
    orders = await createMetric(admin, {}, [{ period: '2026-01-31', value: 1_600 }]);
  });

  beforeEach(async () => {
    visit = await browser().signedIn(service.url, secret);
    ({ page } = visit);
    dialog = page.getByRole('dialog');
    sent = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
    });
  });

  it('fails at once, and is not sent later, after its dialog was left', async () => {
    await page.goto(`/business-metrics/${orders}`);
    await page.getByRole('button', { name: 'Lock 2026-01' }).click();
    await visit.context.setOffline(true);
    await dialog.getByRole('button', { name: 'Lock', exact: true }).click();
    await dialog.getByRole('alert').getByText(NOT_REACHED).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    sent = [];

    await visit.context.setOffline(false);
    // The page asks again once the network is back. A held change would go with it.
    await page.getByRole('navigation').getByRole('link', { name: 'Sources' }).click();
    await page.getByRole('table', { name: 'List of cost sources' }).waitFor();
    expect(sent).toEqual([]);
    expect(await january()).toMatchObject({ status: 'ready_to_lock' });
  });

  it('in the grid keeps its text, and says that it is not stored', async () => {
    await page.goto(`/business-metrics/${orders}?show=values`);
    await page.getByRole('button', { name: /Change the value of 2026-01-31/ }).click();
    const cell = page.getByRole('textbox', { name: 'Value of 2026-01-31' });
    await visit.context.setOffline(true);
    await cell.fill('1,700');
    await cell.press('Enter');
    await page.getByText('It is not stored.').waitFor();
    await page.getByRole('alert').getByText(NOT_REACHED).waitFor();
    expect(await cell.inputValue()).toBe('1,700');
    await visit.context.setOffline(false);
    expect(await january()).toMatchObject({ value: 1_600 });
    await cell.press('Enter');
    await page.getByRole('button', { name: /2026-01-31, now 1700/ }).waitFor();
    expect(await january()).toMatchObject({ value: 1_700 });
  });

  it('that waits on a slow network is stopped with its dialog', async () => {
    await page.goto(`/business-metrics/${orders}`);
    // The network takes the request, and passes nothing on.
    await page.route('**/months/2026-01/lock', () => undefined);
    await page.getByRole('button', { name: 'Lock 2026-01' }).click();
    const stopped = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/lock'));
    await dialog.getByRole('button', { name: 'Lock', exact: true }).click();
    await expect.poll(() => sent).toEqual([`POST /api/v1/metrics/${orders}/months/2026-01/lock`]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect((await stopped).failure()?.errorText).toBe('net::ERR_ABORTED');
    await page.getByText('You left before the service answered.').waitFor();
    await page.unroute('**/months/2026-01/lock');
    expect(await january()).toMatchObject({ status: 'ready_to_lock' });
    await page.getByRole('button', { name: 'Lock 2026-01' }).click();
    await dialog.getByRole('button', { name: 'Lock', exact: true }).click();
    await page.getByText('Orders: 2026-01 is locked as version 1.').waitFor();
    expect(await january()).toMatchObject({ status: 'locked' });
  });
});
