import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/browser.ts';
import { createMetric } from '../../support/service/create.ts';
import { newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/** Numbers in fields, as browsers of three locales write them. The unit tests of the reader have many more. */
describeInBrowser('number fields', (browser) => {
  let service: SharedService;
  let admin: Api;
  let secret: string;
  let orders: string;

  const valueOf = async (period: string): Promise<number | undefined> =>
    expectPage(
      await admin.get<{ period: string; value: number }[]>(
        `/metrics/${orders}/values?start=2026-01&end=2026-02`,
      ),
    ).items.find((each) => each.period === period)?.value;

  const visitIn = async (locale: string, path: string): Promise<Page> => {
    const { page } = await browser().signedIn(service.url, secret, { locale });
    await page.goto(path);
    return page;
  };

  const addValue = async (page: Page, period: string, typed: string, echo: string): Promise<void> => {
    await page.getByRole('button', { name: 'Add value' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Period').fill(period);
    await dialog.getByLabel('Value').fill(typed);
    await dialog.getByText(`Read as ${echo}`, { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
  };

  beforeAll(async () => {
    service = await sharedService();
    ({ admin, secret } = await newOrganisation(service, { name: 'Number shop', tier: 'business' }));
    orders = await createMetric(admin);
  });

  it.each([
    ['en-US', '2026-01-01', '6,200', '6,200', 6_200],
    ['en-US', '2026-01-02', '6.200', '6.2', 6.2],
    ['de-DE', '2026-01-03', '6.200', '6.200', 6_200],
    ['de-DE', '2026-01-04', '6.300,50', '6.300,5', 6_300.5],
    ['en-IN', '2026-01-05', '12,34,567', '12,34,567', 1_234_567],
  ] as const)('in %s store for %s what %s means there', async (locale, period, typed, echo, stored) => {
    const page = await visitIn(locale, `/business-metrics/${orders}`);
    await addValue(page, period, typed, echo);
    expect(await valueOf(period)).toBe(stored);
  });

  it('refuse what the locale cannot read, with a number as it writes them, and send nothing', async () => {
    const page = await visitIn('en-US', `/business-metrics/${orders}`);
    await page.getByRole('button', { name: 'Add value' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Period').fill('2026-01-10');
    await dialog.getByLabel('Value').fill('6.300,50');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Expected a number such as 1,234.5, got “6.300,50”').waitFor();
    await dialog.getByLabel('Value').fill('-7');
    await dialog.getByText('Expected a number from 0 to 1,000,000,000,000,000').waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await valueOf('2026-01-10')).toBeUndefined();
  });

  it('of the grid end stored, refused with a word, or as they were', async () => {
    const values = [
      { period: '2026-02-01', value: 12 },
      { period: '2026-02-02', value: 7 },
    ];
    expectData(await admin.post(`/metrics/${orders}/values`, { values }));
    const page = await visitIn('en-US', `/business-metrics/${orders}?show=values`);
    const cell = page.getByRole('textbox', { name: 'Value of 2026-02-01' });
    const edit = async (typed: string, key: 'Enter' | 'Escape'): Promise<void> => {
      await page.getByRole('button', { name: /Change the value of 2026-02-01/ }).click();
      await cell.fill(typed);
      await cell.press(key);
    };
    for (const [typed, stored] of [
      ['6200.50', 6_200.5],
      ['6,200', 6_200],
      ['12.0', 12],
      ['.25', 0.25],
    ] as const) {
      await edit(typed, 'Enter');
      await page.getByRole('button', { name: `2026-02-01, now ${stored}`, exact: false }).waitFor();
      expect(await valueOf('2026-02-01')).toBe(stored);
    }
    await edit('0.250', 'Enter');
    await page.getByText('2026-02-01 has this value already.').waitFor();
    await cell.waitFor({ state: 'hidden' });

    await edit('6.300,50', 'Enter');
    await page.getByText('Expected a number such as 1,234.5, got “6.300,50”').waitFor();
    // Another cell opens, and this one keeps its text and the word.
    await page.getByRole('button', { name: /Change the value of 2026-02-02/ }).click();
    await page.getByRole('textbox', { name: 'Value of 2026-02-02' }).press('Escape');
    expect(await cell.inputValue()).toBe('6.300,50');
    await cell.fill('');
    await cell.press('Enter');
    await page.getByText('Expected a number', { exact: true }).waitFor();
    await cell.press('Escape');
    await edit('99', 'Escape');
    await page.getByRole('button', { name: '2026-02-01, now 0.25' }).waitFor();
    expect(await valueOf('2026-02-01')).toBe(0.25);
    await page.getByRole('button', { name: 'Undo (4)' }).waitFor();
  });

  it('show and read targets in the locale', async () => {
    const page = await visitIn('de-DE', `/business-metrics/${orders}?show=settings`);
    const target = page.getByLabel('Target');
    await target.fill('1.200,25');
    await page.getByText('Read as 1.200,25\u00a0$', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Orders is saved.').waitFor();
    expect(expectData(await admin.get(`/metrics/${orders}`))).toMatchObject({ target: 1_200.25 });
    await page.reload();
    expect(await target.inputValue()).toBe('1200,25');
    await target.fill('1.2');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Expected a number such as 1.234,50\u00a0$, got “1.2”').waitFor();
    expect(expectData(await admin.get(`/metrics/${orders}`))).toMatchObject({ target: 1_200.25 });
  });
});
