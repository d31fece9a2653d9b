import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, openFromMenu } from '../../support/browser/browser.ts';
import { dayLine } from '../../support/exports/focus-export.ts';
import { newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { loadBill } from '../../support/service/load-bill.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

interface Metric {
  id: string;
  name: string;
  target: number | null;
  label_key: string | null;
}

/**
 * The life of a metric on its page: made, filled, changed and deleted. It is 7 February 2026. Numbers are calculated by hand
 * (USD): in 2026-01 account Shop costs 40 and account Search costs 60.
 */
describeInBrowser('the settings of a metric', (browser) => {
  let service: SharedService;
  let admin: Api;
  let page: Page;

  const metricNamed = async (name: string): Promise<Metric | undefined> =>
    expectPage(await admin.get<Metric[]>('/metrics')).items.find((each) => each.name === name);
  const january = (): Locator =>
    page.getByRole('table', { name: 'Months' }).getByRole('row', { name: /^2026-01 / });
  const tab = (name: string): Promise<void> => page.getByRole('tab', { name, exact: true }).click();
  const newMetric = async (name: string): Promise<void> => {
    await openFromMenu(page, 'Metrics');
    await page.getByRole('link', { name: 'New metric' }).click();
    await page.getByLabel('Name').fill(name);
  };
  const addValue = async (value: string, label: string | null = null): Promise<void> => {
    await page.getByRole('button', { name: 'Add value' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Period').fill('2026-01-10');
    if (label !== null) await dialog.getByLabel('Label').fill(label);
    await dialog.getByLabel('Value').fill(value);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
  };

  beforeAll(async () => {
    service = await sharedService();
    const organisation = await newOrganisation(service, { name: 'Visit shop', tier: 'business' });
    ({ admin } = organisation);
    await loadBill(service, admin, [
      dayLine('2026-01-10', '40'),
      dayLine('2026-01-20', '60', { SubAccountId: '2222', SubAccountName: 'Search' }),
      dayLine('2026-02-05', '1'),
    ]);
    ({ page } = await browser().signedIn(service.url, organisation.secret));
  });

  it('makes a metric with labels, and stacks its values by them', async () => {
    await newMetric('Visits');
    await page.getByLabel('Unit').fill('visit');
    await page.getByLabel('Labels').fill('region');
    await page.getByLabel('Chosen parts of spend').check();
    await page.getByRole('button', { name: 'Add Shop', exact: true }).click();
    await page.getByRole('button', { name: 'Create metric' }).click();
    await page.getByRole('heading', { name: 'Visits', level: 1 }).waitFor();
    expect(await metricNamed('Visits')).toMatchObject({ label_key: 'region', target: null });

    await addValue('300', 'eu');
    await addValue('100', 'us');
    // 40 / (300 + 100) = 0.10
    await january().getByText('400', { exact: true }).waitFor();
    expect(await january().innerText()).toMatch(/\$40\.00\s+400\s+\$0\.100/);
    const legend = page.getByRole('list', { name: 'Legend: Visits by region and month' });
    await expect.poll(() => legend.getByRole('listitem').allInnerTexts()).toEqual(['eu', 'us']);
  });

  it('removes a value, records it again, and keeps both changes', async () => {
    await tab('Values');
    await page.getByRole('button', { name: /^Remove the value of 2026-01-10.*us/ }).click();
    await page.getByRole('button', { name: 'Undo (1)' }).waitFor();
    expect(await page.getByRole('row', { name: /2026-01-10 us/ }).count()).toBe(0);
    await tab('Months');
    expect(await january().innerText()).toContain('$0.133');
    await tab('History');
    const history = page.getByRole('table', { name: 'Changes of values' });
    expect(await history.getByRole('row').nth(1).innerText()).toMatch(/2026-01-10\s+us\s+100/);
    await history.getByText('the value was removed').waitFor();
    await tab('Values');
    await addValue('100', 'us');
    await tab('Months');
    await january().getByText('$0.100').waitFor();
  });

  it('counts other spend, under another name and with a target', async () => {
    await tab('Settings');
    await page.getByRole('button', { name: 'Change what it counts' }).click();
    await page.getByRole('button', { name: 'Add Search', exact: true }).click();
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByText('Visits counts the chosen spend.').waitFor();
    await page.getByLabel('Name').fill('Page visits');
    await page.getByLabel('Target').fill('0.2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Page visits', level: 1 }).waitFor();
    // It has values, so that its labels stay.
    await page.getByLabel('Labels').fill('country');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText(/label/).waitFor();
    expect(await metricNamed('Page visits')).toMatchObject({ target: 0.2, label_key: 'region' });
    await tab('Months');
    // (40 + 60) / 400 = 0.25 is above 0.20.
    await january().getByText('Above target').waitFor();
    expect(await january().innerText()).toMatch(/\$100\.00\s+400\s+Above target\s+\$0\.250/);
  });

  it('makes a revenue metric, whose numbers other keys do not get', async () => {
    await newMetric('Sales');
    await page.getByLabel(/^Revenue in USD/).check();
    expect(await page.getByLabel('Unit').count()).toBe(0);
    await page.getByRole('button', { name: 'Create metric' }).click();
    await page.getByRole('heading', { name: 'Sales', level: 1 }).waitFor();
    await addValue('803.25');
    // 100 / 803.25 = 12.449 %
    await january().getByText('$803.25').waitFor();
    expect(await january().innerText()).toMatch(/\$803\.25\s+12\.4%/);
    await tab('Settings');
    await page.getByLabel('The assistant may read it when an admin asks').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Sales is saved.').waitFor();
    expect(await metricNamed('Sales')).toMatchObject({ assistant_access: true });

    const sales = (await metricNamed('Sales'))?.id ?? '';
    const { secret } = expectData(
      await admin.post<{ secret: string }>('/keys', { name: 'Writer', permission: 'write' }),
    );
    const other = await browser().signedIn(service.url, secret);
    for (const show of ['months', 'values', 'history', 'settings']) {
      await other.page.goto(`/business-metrics/${sales}?show=${show}`);
      await other.page.getByRole('heading', { name: 'Sales', level: 1 }).waitFor();
    }
    expect(await other.page.getByRole('button', { name: 'Delete metric' }).count()).toBe(0);
    expect(await other.page.content()).not.toContain('803.25');
    expect(other.answers.filter(({ text }) => text.includes('803.25'))).toEqual([]);
  });

  it('deletes a metric after it has asked', async () => {
    const id = (await metricNamed('Sales'))?.id ?? '';
    await page.getByRole('button', { name: 'Delete metric' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Sales?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await metricNamed('Sales')).toBeDefined();
    await page.getByRole('button', { name: 'Delete metric' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    const metrics = page.getByRole('table', { name: 'All metrics' });
    await metrics.getByText('Page visits').waitFor();
    expect(await metrics.getByText('Sales').count()).toBe(0);
    expectError(await admin.get(`/metrics/${id}`), 404, /metric/);
  });
});
