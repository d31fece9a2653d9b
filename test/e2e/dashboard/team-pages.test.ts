import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, openFromMenu } from '../../support/browser/browser.ts';
import { violationsOf } from '../../support/browser/violations.ts';
import { dayLine } from '../../support/exports/focus-export.ts';
import { create, createMetric } from '../../support/service/create.ts';
import { newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { loadBill } from '../../support/service/load-bill.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

interface Version {
  version: number;
  fully_loaded: number;
  sealed_because: string;
  reason: string | null;
}

/**
 * What people see and do with bills. It is 7 February 2026. January by hand, in USD:
 *
 * | account              |     | Shop            | Search          | unallocated       |
 * | -------------------- | --- | --------------- | --------------- | ----------------- |
 * | 1111 owned by Shop   | 100 | 100             |                 |                   |
 * | 2222 owned by Search |  60 |                 | 60              |                   |
 * | 3333 shared evenly   |  10 | 5               | 5               |                   |
 * | 4444 shared by calls |  40 | web 3 of 4: 30  | find 1 of 4: 10 | 40 without calls  |
 * | 5555                 |   7 |                 | 7 once it is Search's | 7           |
 * | without calls        | 217 | 105             | 65              | 47                |
 * | with calls           | 217 | 135             | 75              | 7                 |
 * | with 5555            | 217 | 135             | 82              | 0                 |
 *
 * December has 50 of account 1111 alone.
 */
describeInBrowser('the pages of bills', (browser) => {
  let service: SharedService;
  let admin: Api;
  let secret: string;
  let shop: string;
  let search: string;
  let calls: string;

  const account = (id: string) => ({ source: 'cloud', cloud: 'aws', account: id });

  const versionsOf = async (team: string) =>
    expectData(await admin.get<Version[]>(`/teams/${team}/bills/2026-01/versions`));

  const openBills = async (page: Page): Promise<Locator> => {
    await openFromMenu(page, 'Teams');
    const table = page.getByRole('table', { name: 'Every team in 2026-01' });
    await table.waitFor();
    return table;
  };

  /** The cells of a row as they read, its heading among them. */
  const cellsOf = async (table: Locator, name: RegExp): Promise<string[]> =>
    (await table.getByRole('row', { name }).innerText()).split(/\s*[\t\n]+\s*/);

  beforeAll(async () => {
    service = await sharedService();
    ({ admin, secret } = await newOrganisation(service, { name: 'Bill shop', tier: 'business' }));
    shop = await create(admin, '/teams', { name: 'Shop', ownership: [account('1111')] });
    search = await create(admin, '/teams', { name: 'Search', ownership: [account('2222')] });
    calls = await createMetric(admin, {
      name: 'Calls',
      unit: 'call',
      frequency: 'monthly',
      label_key: 'app',
    });
    await create(admin, '/shared-costs', {
      name: 'Network',
      spend: [account('3333')],
      split: { type: 'even', team_ids: [shop, search] },
    });
    await create(admin, '/shared-costs', {
      name: 'Gateway',
      spend: [account('4444')],
      split: { type: 'metric', metric_id: calls, labels: { web: shop, find: search } },
    });
    const january = { 1111: '100', 2222: '60', 3333: '10', 4444: '40', 5555: '7' };
    await loadBill(service, admin, [
      dayLine('2025-12-01', '20'),
      dayLine('2025-12-31', '30'),
      ...Object.entries(january).map(([id, cost]) => dayLine('2026-01-31', cost, { SubAccountId: id })),
      dayLine('2026-02-05', '8'),
    ]);
  });

  it('say what bills wait for, and add up to the cost of the month', async () => {
    const visit = await browser().signedIn(service.url, secret);
    const { page } = visit;
    const table = await openBills(page);
    await page.getByRole('list', { name: /^Legend: fully loaded bills/ }).waitFor();
    expect(visit.answers.filter(({ url }) => url.includes('/teams')).map(({ url }) => url)).toHaveLength(2);
    const waits = 'Metric "Calls", by which a shared cost is split, has no value for 2026-01.';
    expect(await cellsOf(table, /^Shop/)).toEqual(['Shop', '$100.00', '$5.00', '$105.00', 'Waiting', waits]);
    expect(await cellsOf(table, /^Search/)).toEqual([
      'Search',
      '$60.00',
      '$5.00',
      '$65.00',
      'Waiting',
      waits,
    ]);
    expect((await cellsOf(table, /^All teams/)).slice(0, 4)).toEqual([
      ...['All teams', '$160.00', '$10.00', '$170.00'],
    ]);
    expect(await cellsOf(table, /^Unallocated/)).toContain('$47.00');
    expect(await cellsOf(table, /^Cost of 2026-01/)).toContain('$217.00');
    const legend = page.getByRole('list', { name: /^Legend/ }).getByRole('listitem');
    expect(await legend.allInnerTexts()).toEqual(['Shop', 'Search', 'Unallocated']);
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('combobox', { name: 'Month' }).click();
    await page.getByRole('option', { name: '2025-12' }).click();
    for (const reload of [false, true]) {
      if (reload) await page.reload();
      const december = page.getByRole('table', { name: 'Every team in 2025-12' });
      expect((await cellsOf(december, /^Shop/)).slice(0, 4)).toEqual(['Shop', '$50.00', '$0.00', '$50.00']);
    }
    expect(page.url()).toContain('month=2025-12');
  });

  it('show the versions of a bill, and seal all bills again with a reason', async () => {
    const { page } = await browser().signedIn(service.url, secret);
    await (await openBills(page)).getByRole('link', { name: 'Search' }).click();
    await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
    await page.getByText('It waits for:').waitFor();
    await page.getByText('The bill has no version yet.').waitFor();

    // A bill that waits cannot be sealed, and the dialog says why.
    await page.getByRole('button', { name: 'Reseal 2026-01' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reseal 2026-01' });
    const action = dialog.getByRole('button', { name: 'Reseal all bills' });
    await action.click();
    await dialog.getByText('The reason is missing.').waitFor();
    await dialog.getByLabel('Reason').fill('compared with the ledger');
    expect(await violationsOf(page)).toEqual([]);
    await action.click();
    expect(await dialog.getByRole('alert').innerText()).toMatch(/"Calls"/);
    await page.keyboard.press('Escape');

    expectData(
      await admin.post(`/metrics/${calls}/values`, {
        values: [
          { period: '2026-01', label: 'web', value: 3 },
          { period: '2026-01', label: 'find', value: 1 },
        ],
      }),
    );
    await page.reload();
    const parts = page.getByRole('table', { name: /^Shared: / });
    expect(await cellsOf(parts, /^Gateway/)).toEqual(['Gateway', '$10.00']);
    const versions = page.getByRole('table', { name: 'Versions of 2026-01 side by side' });
    expect(await cellsOf(versions, /^Fully loaded/)).toEqual(['Fully loaded', '$75.00']);
    expect(await versionsOf(search)).toMatchObject([{ version: 1, fully_loaded: 75 }]);

    await page.getByRole('button', { name: 'Reseal 2026-01' }).click();
    await dialog.getByLabel('Reason').fill('compared with the ledger');
    await action.click();
    await versions.getByRole('columnheader', { name: 'Version 2' }).waitFor();
    expect(await cellsOf(versions, /^Fully loaded/)).toEqual([
      'Fully loaded',
      '$75.00',
      'unchanged',
      '$75.00',
    ]);
    await versions.getByText('“compared with the ledger”').waitFor();
    expect((await versionsOf(shop))[0]).toMatchObject({
      version: 2,
      fully_loaded: 135,
      sealed_because: 'resealed',
      reason: 'compared with the ledger',
    });

    // Another owner moves a sealed bill only when an admin seals it again: 75 + 7 = 82.
    const ownership = [account('2222'), account('5555')];
    expectData(
      await admin.send('PUT', `/teams/${search}/ownership`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ownership }),
      }),
    );
    expect((await versionsOf(search))[0]).toMatchObject({ version: 2, fully_loaded: 75 });
    await page.getByRole('button', { name: 'Reseal 2026-01' }).click();
    await dialog.getByLabel('Reason').fill('Search took the mail account');
    await action.click();
    await versions.getByRole('columnheader', { name: 'Version 3' }).waitFor();
    expect((await cellsOf(versions, /^Fully loaded/)).slice(0, 3)).toEqual([
      ...['Fully loaded', '$82.00', '+$7.00 (+9.3%)'],
    ]);
    expect((await versionsOf(search))[0]).toMatchObject({ version: 3, fully_loaded: 82 });
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('link', { name: 'All teams' }).click();
    const table = page.getByRole('table', { name: 'Every team in 2026-01' });
    expect((await cellsOf(table, /^Search/)).slice(3)).toEqual(['$82.00', 'Sealed', 'Nothing']);
    expect(await cellsOf(table, /^Unallocated/)).toContain('$0.00');
  });

  it.each(['write', 'read'])(
    'show a %s key bills, owners and shared costs without buttons',
    async (permission) => {
      const key = expectData(
        await admin.post<{ secret: string }>('/keys', { name: permission, permission }),
      ).secret;
      const visit = await browser().signedIn(service.url, key);
      const { page } = visit;
      const noButtons = async (): Promise<void> => {
        const names = /^(New team|Rename|Delete|Reseal|Save|Edit|New shared cost|Add |Remove )/;
        expect(await page.getByRole('main').getByRole('button', { name: names }).count()).toBe(0);
      };
      const table = await openBills(page);
      await noButtons();
      await page.getByRole('tab', { name: 'Shared costs' }).click();
      const shared = page.getByRole('table', { name: 'Every shared cost' });
      await shared.getByText('All of AWS account 3333 (Shop)').waitFor();
      expect(await cellsOf(shared, /^Network/)).toEqual([
        ...['Network', 'All of AWS account 3333 (Shop)', 'Evenly over Shop and Search.'],
      ]);
      await noButtons();
      await page.getByRole('tab', { name: 'Bills' }).click();
      await table.getByRole('link', { name: 'Shop' }).click();
      await page.getByRole('table', { name: 'Bills of Shop by month' }).waitFor();
      await noButtons();
      await page.getByRole('tab', { name: 'Ownership' }).click();
      await page.getByText('All of AWS account 1111').waitFor();
      await noButtons();
      expect(visit.answers.every(({ status }) => status !== 403)).toBe(true);
    },
  );
});
