import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { ledgerOf } from '../../../demo/stripe/ledger.ts';
import { READ_TRANSACTIONS, stripeAccount } from '../../../demo/stripe/stripe-account.ts';
import type { BalanceTransaction } from '../../../domain/imports/stripe/net-sales-progress.ts';
import { describeInBrowser, openFromMenu, type Visit } from '../../support/browser/browser.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { exportsIn } from '../../support/exports/write-export.ts';
import { startFakeBigQuery } from '../../support/fakes/bigquery/fake-bigquery.ts';
import { startFakeStripe } from '../../support/fakes/stripe/fake-stripe.ts';
import { keyPartsIn, TEST_KEY } from '../../support/fakes/stripe/key-parts.ts';
import { create, createMetric, SALES } from '../../support/service/create.ts';
import { newIngestedSource, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { withService } from '../../support/service/with-service.ts';
import { withOpened } from '../../support/with-opened.ts';

const sale = (id: number, created: string, amount: number, currency = 'usd'): BalanceTransaction => ({
  id: `txn_${id}`,
  amount,
  currency,
  reporting_category: 'charge',
  created: Date.parse(created) / 1000,
});

const CHARGES = [sale(1, '2026-01-15T08:00:00Z', 4_829_137), sale(2, '2026-01-16T08:00:00Z', 6_173, 'eur')];

const QUERY = 'SELECT day, n AS value FROM shop.orders WHERE day BETWEEN @start AND @end';

/**
 * The revenue of January in dollars or cents, in euros, its margin, its margin in percent and the share of cost. An id may have the
 * same digits inside.
 */
const REVENUE = /\b48[,.]?291|61\.73|\b47[,.]?891|99\.171|0\.8283/;

/**
 * The import of revenue on a metric's page, and who sees what it brought. It is 7 February 2026. Each test continues the story.
 * Numbers are calculated by hand (USD):
 *
 *   January  cost 400, revenue 48,291.37: margin 47,891.37 or 99.1717%, share of cost 0.8283%; and 61.73 euros
 *   3 Feb    revenue 12.34, which the second run brings
 */
describeInBrowser('the import of a metric', (browser) => {
  const stripe = withOpened(() => startFakeStripe(stripeAccount(TEST_KEY, CHARGES)));
  const bigQuery = withOpened(startFakeBigQuery);
  const service = withService(() => ({
    CLOCK: '2026-02-07T06:00:00Z',
    STRIPE_API_BASE: `http://127.0.0.1:${stripe.base.port}`,
    BIGQUERY_API_ENDPOINT: bigQuery.url,
  }));
  let admin: Api;
  let visit: Visit;
  let page: Page;
  let paths: string[];
  let sales: string;

  const restrictedKey = (within: Page | Locator = page): Locator => within.getByLabel('Restricted key');
  const button = (name: string): Locator => page.getByRole('button', { name, exact: true });
  const status = (): Locator => page.getByRole('main').getByRole('status');
  const values = async (): Promise<[string, number][]> =>
    expectPage(await admin.get<{ period: string; value: number }[]>(`/metrics/${sales}/values`)).items.map(
      ({ period, value }) => [period, value],
    );

  beforeAll(async () => {
    bigQuery.project.queries.set(QUERY, {
      columns: [
        { name: 'day', type: 'DATE' },
        { name: 'value', type: 'NUMERIC' },
      ],
      rows: (start, end) => [['2026-01-30', '800']].filter(([day = '']) => day >= start && day <= end),
    });
    const organisation = await newOrganisation(service, { name: 'Imports shop', tier: 'business' });
    ({ admin } = organisation);
    const bill = focusCsv([dayLine('2026-01-01', '150'), dayLine('2026-01-31', '250')]);
    const location = await exportsIn(service.dataDir)('bill.csv', bill);
    const source = await newIngestedSource(admin, { name: 'AWS', kind: 'focus', location });
    sales = await createMetric(admin, { ...SALES, target: 0.5 });
    const orders = await createMetric(admin);
    const team = await create(admin, '/teams', { name: 'Shop' });
    paths = [
      ...['/', '/business-metrics', `/business-metrics/${sales}`, `/business-metrics/${orders}?show=import`],
      ...['/costs', '/teams', `/teams/${team}`, '/sources', `/sources/${source}`, '/settings?show=audit-log'],
    ];
    visit = await browser().signedIn(service.url, organisation.secret);
    ({ page } = visit);
  });

  it('says at the form what to do about a wrong key', async () => {
    await page.getByRole('table', { name: 'Metrics' }).getByRole('link', { name: 'Sales' }).click();
    await button('Add value').waitFor();
    await page.getByRole('tab', { name: 'Import' }).click();
    await restrictedKey().fill(TEST_KEY.replace('rk_', 'sk_'));
    await button('Connect').click();
    await page
      .getByRole('alert')
      .getByText(/^api_key: expected a restricted key/)
      .waitFor();
    await restrictedKey().fill('rk_test_unknown00000000000000');
    await button('Connect').click();
    await page
      .getByRole('alert')
      .getByText(/Stripe/)
      .waitFor();
    stripe.account.keys.set(TEST_KEY, new Set());
    await restrictedKey().fill(TEST_KEY);
    await button('Check').click();
    await status().filter({ hasText: 'This cannot be imported yet' }).getByText(READ_TRANSACTIONS).waitFor();
    expectError(await admin.get(`/metrics/${sales}/import`), 404);
  });

  it('checks and connects a key, and shows the first run until it has ended', async () => {
    stripe.account.keys.set(TEST_KEY, new Set([READ_TRANSACTIONS]));
    await button('Check').click();
    await status().getByText('This can be imported').waitFor();
    expectError(await admin.get(`/metrics/${sales}/import`), 404);
    await button('Connect').click();
    await page.getByRole('heading', { name: 'Daily import from Stripe' }).waitFor();
    await status().getByText('Last run completed on Feb 7, 2026, 6:00 AM').waitFor();
    await status().getByText('2025-03-01 to 2026-02-07').waitFor();
    await page.getByText('€61.73').waitFor();
    expect(await button('Add value').count()).toBe(0);
    expect(await values()).toEqual([['2026-01-15', 48_291.37]]);
    expect(keyPartsIn([await page.content(), visit.answers])).toEqual([]);
    await page.getByRole('tab', { name: 'Months' }).click();
    const january = page.getByRole('table', { name: 'Months' }).getByRole('row', { name: /2026-01/ });
    await january.getByText('$48,291.37').waitFor();
    // The test of what others see would find each of these.
    const shown = visit.answers.flatMap(({ text }) => text.match(new RegExp(REVENUE, 'g')) ?? []);
    expect(new Set(shown)).toEqual(new Set(['48291', '61.73', '47891', '99.171', '0.8283']));
  });

  it('runs now, and says why a run has failed', async () => {
    stripe.account.ledger = ledgerOf([...CHARGES, sale(3, '2026-02-03T08:00:00Z', 1_234)]);
    await page.getByRole('tab', { name: 'Import' }).click();
    await button('Run now').click();
    await button('Run').click();
    await status()
      .getByText(/^2026-01-01 to 2026-02-07: .* 1 value changed, 0 removed/)
      .waitFor();
    expect(await values()).toContainEqual(['2026-02-03', 12.34]);
    stripe.account.keys.clear();
    await button('Run now').click();
    await page.getByLabel('From', { exact: true }).fill('2026-02');
    await button('Run').click();
    await status()
      .filter({ hasText: 'Last run failed' })
      .getByText(/restricted key/)
      .waitFor();
    await button('Replace the connection').click();
    const dialog = page.getByRole('dialog');
    await restrictedKey(dialog).fill(TEST_KEY);
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await dialog
      .getByRole('alert')
      .getByText(/Stripe/)
      .waitFor();
    stripe.account.keys.set(TEST_KEY, new Set([READ_TRANSACTIONS]));
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await status().getByText('Last run completed').waitFor();
    expect(keyPartsIn([await page.content(), visit.answers])).toEqual([]);
  });

  it('shows write and read keys no revenue on any page nor in any answer', async () => {
    const seenWith = async (permission: string): Promise<void> => {
      const { secret } = expectData(
        await admin.post<{ secret: string }>('/keys', { name: permission, permission }),
      );
      const other = await browser().signedIn(service.url, secret);
      for (const path of paths) {
        await other.page.goto(path);
        await other.page.waitForLoadState('networkidle');
        expect(REVENUE.exec(await other.page.content()), path).toBeNull();
        expect(await other.page.getByRole('tab', { name: 'Import' }).count()).toBe(0);
      }
      expect(other.answers.length).toBeGreaterThan(paths.length);
      for (const { url, text } of other.answers) expect(REVENUE.exec(text), url).toBeNull();
    };
    await Promise.all(['write', 'read'].map(seenWith));
  });

  it('tells an admin in the audit log who saw revenue, without a number', async () => {
    await page.goto('/settings?show=audit-log');
    const records = page.getByRole('table', { name: 'Records of the audit log' });
    await records
      .getByText(/Viewed the import of/)
      .first()
      .waitFor();
    await records.getByText(/Connected the stripe import of/).waitFor();
    expect(await page.content()).not.toMatch(REVENUE);
  });

  it('disconnects after it has asked, and keeps the values', async () => {
    await page.goto(`/business-metrics/${sales}?show=import`);
    await button('Disconnect').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expectData(await admin.get(`/metrics/${sales}/import`));
    await button('Disconnect').click();
    await dialog.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('Sales is disconnected. Its values stay.').waitFor();
    await restrictedKey().waitFor();
    expect(await restrictedKey().inputValue()).toBe('');
    await button('Add value').waitFor();
    expectError(await admin.get(`/metrics/${sales}/import`), 404);
    expect(await values()).toHaveLength(2);
  });

  it('connects a query of BigQuery, once its check finds no problem', async () => {
    await openFromMenu(page, 'Overview');
    await page.getByRole('table', { name: 'Metrics' }).getByRole('link', { name: 'Orders' }).click();
    await page.getByRole('tab', { name: 'Import' }).click();
    await page.getByLabel('Project').fill(bigQuery.project.id);
    await page.getByLabel('Query').fill('SELECT day, n AS value FROM shop.orders');
    await page.getByLabel('Service account key').fill(JSON.stringify(bigQuery.account.key));
    await button('Connect').click();
    await page
      .getByRole('alert')
      .getByText(/@start/)
      .waitFor();
    await page.getByLabel('Query').fill(QUERY);
    await button('Check').click();
    await status().getByText('This can be imported').waitFor();
    expect(await page.getByRole('table', { name: 'Columns of the query' }).innerText()).toMatch(
      /day\s+DATE\s+value\s+NUMERIC/,
    );
    await button('Connect').click();
    await page.getByRole('heading', { name: 'Daily import from BigQuery' }).waitFor();
    await status()
      .getByText(/^Last run completed on/)
      .waitFor();
    await page.getByRole('tab', { name: 'Months' }).click();
    // 400 / 800 = 0.50
    const january = page.getByRole('table', { name: 'Months' }).getByRole('row', { name: /^2026-01 / });
    await january.getByText('$0.500').waitFor();
    const privateKey = bigQuery.account.key['private_key']?.split('\n')[1] ?? '';
    expect(privateKey).not.toBe('');
    expect([await page.content(), ...visit.answers.map(({ text }) => text)].join('')).not.toContain(
      privateKey,
    );
  });
});
