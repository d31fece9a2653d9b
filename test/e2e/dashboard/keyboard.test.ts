import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/browser.ts';
import { tabTo, untilInDialog } from '../../support/browser/keyboard.ts';
import { dayLine } from '../../support/exports/focus-export.ts';
import { createMetric } from '../../support/service/create.ts';
import { as, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { loadBill } from '../../support/service/load-bill.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/** A month is locked, a value added and a key made without a mouse (WCAG 2.2, 2.1.1). It is 7 February 2026. */
describeInBrowser('the keyboard alone', (browser) => {
  let service: SharedService;
  let admin: Api;
  let secret: string;
  let orders: string;

  beforeAll(async () => {
    service = await sharedService();
    ({ admin, secret } = await newOrganisation(service, { name: 'Keyboard shop' }));
    await loadBill(service, admin, [dayLine('2026-01-01', '150'), dayLine('2026-01-31', '250')]);
    orders = await createMetric(admin, {}, [{ period: '2026-01-31', value: 1_600 }]);
  });

  const january = async () =>
    expectData(
      await admin.get<{ month: string; status: string; value: number; version: number | null }[]>(
        `/metrics/${orders}/months`,
      ),
    ).find(({ month }) => month === '2026-01');

  it('signs in, locks a month, adds a value and makes a key', async () => {
    const { page } = await browser().visit(service.url);
    const { keyboard } = page;
    await tabTo(page, /^API key/);
    await keyboard.type(secret);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByRole('table', { name: 'Metrics' }).waitFor();
    await tabTo(page, /^Orders$/);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();

    await tabTo(page, /^Lock 2026-01$/);
    await keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Lock', exact: true }).waitFor();
    await untilInDialog(page);
    await tabTo(page, /^Lock$/);
    await keyboard.press('Enter');
    await page
      .getByRole('row', { name: /2026-01/ })
      .getByText('Locked', { exact: true })
      .waitFor();
    expect(await january()).toMatchObject({ status: 'locked', version: 1 });

    await tabTo(page, /^Add value$/);
    await keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).waitFor();
    await untilInDialog(page);
    // The browser takes a day as month, day and year.
    await page.getByLabel('Period').focus();
    await keyboard.type('01302026');
    await tabTo(page, /^Value/);
    await keyboard.type('400');
    await keyboard.press('Enter');
    await page
      .getByRole('row', { name: /2026-01/ })
      .getByText('Changed since lock')
      .waitFor();
    expect(await january()).toMatchObject({ value: 1_600, status: 'changed_since_lock' });

    await tabTo(page, /^Settings$/);
    await keyboard.press('Enter');
    await page.getByRole('button', { name: 'Create key' }).waitFor();
    await tabTo(page, /^Create key$/);
    await keyboard.press('Enter');
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await untilInDialog(page);
    await tabTo(page, /^Name/);
    await keyboard.type('By keyboard');
    await keyboard.press('Enter');
    const made = await page.getByRole('dialog').getByLabel('Secret').inputValue();
    expect((await as(service, made).get('/auth/info')).status).toBe(200);
  });
});
