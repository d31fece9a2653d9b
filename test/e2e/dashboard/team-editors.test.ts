import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, openFromMenu } from '../../support/browser/browser.ts';
import { violationsOf } from '../../support/browser/violations.ts';
import { dayLine } from '../../support/exports/focus-export.ts';
import { createMetric } from '../../support/service/create.ts';
import { newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { loadBill } from '../../support/service/load-bill.ts';
import { sharedService } from '../../support/service/shared-service.ts';

interface Team {
  id: string;
  name: string;
  ownership: object[];
}

/**
 * How an admin makes teams, chooses what they own, and shares costs. It is 7 February
 * 2026. January by hand, in USD:
 *
 * | account                  |     | Storefront | Search | unallocated |
 * | ------------------------ | --- | ---------- | ------ | ----------- |
 * | 1111 owned by Storefront | 100 | 100        |        |             |
 * | 2222 owned by Search     |  60 |            | 60     |             |
 * | 3333 shared evenly       |  20 | 10         | 10     |             |
 * | 3333 by percents instead |  20 | 70 % 14    | 20 % 4 | 2           |
 * | 3333 by 3 and 1 orders   |  20 | 15         | 5      |             |
 */
describeInBrowser('the editors of teams and shared costs', (browser) => {
  let admin: Api;
  let page: Page;
  let dialog: Locator;

  const account = (id: string) => ({ source: 'cloud', cloud: 'aws', account: id });

  const teams = async (): Promise<Team[]> => expectPage(await admin.get<Team[]>('/teams')).items;
  const teamOf = async (name: string) => (await teams()).find((team) => team.name === name);
  const sharedCosts = async () =>
    (await admin.get<{ id: string; name: string; spend: object[]; split: object }[]>('/shared-costs')).body
      .data;
  const january = async () => {
    const { bills, unallocated } = expectData(
      await admin.get<{
        bills: { team: { name: string }; fully_loaded: number }[];
        unallocated: number;
      }>('/teams/bills/2026-01'),
    );
    return {
      ...Object.fromEntries(bills.map(({ team, fully_loaded }) => [team.name, fully_loaded])),
      unallocated,
    };
  };

  const openTeams = async (tab: 'Bills' | 'Shared costs'): Promise<void> => {
    await openFromMenu(page, 'Teams');
    await page.getByRole('tab', { name: tab }).click();
  };

  beforeAll(async () => {
    const service = await sharedService();
    const organisation = await newOrganisation(service, { name: 'Editor shop', tier: 'business' });
    ({ admin } = organisation);
    await loadBill(service, admin, [
      dayLine('2026-01-01', '100', { SubAccountName: 'Shop account' }),
      dayLine('2026-01-31', '60', { SubAccountId: '2222', SubAccountName: 'Search account' }),
      dayLine('2026-01-31', '20', { SubAccountId: '3333', SubAccountName: 'Network account' }),
      dayLine('2026-02-05', '8', { SubAccountName: 'Shop account' }),
    ]);
    ({ page } = await browser().signedIn(service.url, organisation.secret));
    dialog = page.getByRole('dialog');
  });

  it('make a team, choose what it owns, and rename it', async () => {
    await openTeams('Bills');
    await page.getByText('There is no team yet.').waitFor();
    await page.getByRole('button', { name: 'New team' }).click();
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await dialog.getByText('The name is missing.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Name').fill('Web');
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('heading', { name: 'Web', level: 1 }).waitFor();
    expect(page.url()).toContain('show=ownership');

    await page.getByRole('button', { name: 'Add Shop account', exact: true }).click();
    const chosen = page.getByRole('table', { name: 'Chosen spend' });
    await chosen.getByRole('row', { name: /Shop account.*\$100\.00/ }).waitFor();
    await page.getByText('The changes are not saved yet.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('What Web owns is saved.').waitFor();
    expect((await teamOf('Web'))?.ownership).toEqual([account('1111')]);
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('button', { name: 'Rename' }).click();
    await dialog.getByLabel('Name').fill('Storefront');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'Storefront', level: 1 }).waitFor();
    expect(await teams()).toMatchObject([{ name: 'Storefront', ownership: [account('1111')] }]);
  });

  it('explain that another team owns the name or the spend, and lose nothing', async () => {
    await openTeams('Bills');
    await page.getByRole('button', { name: 'New team' }).click();
    await dialog.getByLabel('Name').fill('Storefront');
    await dialog.getByRole('button', { name: 'Create team' }).click();
    expect(await dialog.getByRole('alert').innerText()).toContain(
      'expected a name that no other team has, got "Storefront"',
    );
    await dialog.getByLabel('Name').fill('Search');
    await dialog.getByRole('button', { name: 'Create team' }).click();
    await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();

    const owned = 'All of AWS account 1111 is owned by team "Storefront" already';
    await page.getByRole('button', { name: 'Add Search account', exact: true }).click();
    await page.getByRole('button', { name: 'Add Shop account', exact: true }).click();
    await page.getByRole('status').filter({ hasText: owned }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: owned }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect((await teamOf('Search'))?.ownership).toEqual([]);

    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await dialog.getByText('They are lost if you leave.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Remove Shop account', exact: true }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('What Search owns is saved.').waitFor();
    expect((await teamOf('Search'))?.ownership).toEqual([account('2222')]);
  });

  it('share a cost evenly, then by percents, and then by the labels of a metric', async () => {
    const [storefront, search] = [await teamOf('Storefront'), await teamOf('Search')];
    await openTeams('Shared costs');
    await page.getByRole('button', { name: 'New shared cost' }).click();
    await dialog.getByRole('button', { name: 'Create shared cost' }).click();
    for (const words of ['The name is missing.', 'Pick at least some spend.', 'Choose the teams that share'])
      await dialog.getByText(words).waitFor();
    await dialog.getByLabel('Name').fill('Network');
    await dialog.getByRole('button', { name: 'Add Network account', exact: true }).click();
    await dialog
      .getByRole('row', { name: /Network account.*\$20\.00/ })
      .first()
      .waitFor();
    await dialog.getByRole('combobox', { name: 'Teams' }).click();
    for (const name of ['Storefront', 'Search']) await page.getByRole('option', { name }).click();
    await page.keyboard.press('Tab');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create shared cost' }).click();
    const table = page.getByRole('table', { name: 'Every shared cost' });
    const row = table.getByRole('row', { name: /^Network/ });
    await row.getByText('Evenly over Storefront and Search.').waitFor();
    expect(await sharedCosts()).toMatchObject([
      {
        name: 'Network',
        spend: [account('3333')],
        split: { type: 'even', team_ids: [storefront?.id, search?.id] },
      },
    ]);
    expect(await january()).toEqual({ Storefront: 110, Search: 70, unallocated: 0 });

    await row.getByRole('button', { name: 'Edit Network' }).click();
    await dialog.getByRole('radio', { name: 'By fixed percents' }).click();
    for (const [name, percent] of [
      ['Storefront', '70'],
      ['Search', '40'],
    ] as const) {
      await dialog.getByRole('combobox', { name: 'Add a team' }).click();
      await page.getByRole('option', { name }).click();
      await dialog.getByLabel(`Percent of ${name}`).fill(percent);
    }
    await dialog.getByText('Together 110%. The percents must not exceed 100.').waitFor();
    await dialog.getByLabel('Percent of Search').fill('20');
    await dialog.getByText('Together 90%. 10% stays unallocated.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await row.getByText('70% to Storefront and 20% to Search. 10% stays unallocated.').waitFor();
    expect(await january()).toEqual({ Storefront: 114, Search: 64, unallocated: 2 });

    const values = [
      { period: '2026-01', label: 'eu', value: 3 },
      { period: '2026-01', label: 'us', value: 1 },
    ];
    await createMetric(admin, { frequency: 'monthly', label_key: 'region' }, values);
    await page.reload();
    await row.getByRole('button', { name: 'Edit Network' }).click();
    await dialog.getByRole('radio', { name: 'By the values of a metric' }).click();
    await dialog.getByRole('combobox', { name: 'Metric' }).click();
    await page.getByRole('option', { name: 'Orders, by region' }).click();
    for (const [label, name] of [
      ['eu', 'Storefront'],
      ['us', 'Search'],
    ] as const) {
      await dialog.getByRole('combobox', { name: `Team for ${label}` }).click();
      await page.getByRole('option', { name }).click();
    }
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await january()).toEqual({ Storefront: 115, Search: 65, unallocated: 0 });
  });

  it('delete shared costs and teams after a question, and say what prevents it', async () => {
    const { id = '' } = (await teamOf('Search')) ?? {};
    await openTeams('Bills');
    await page
      .getByRole('table', { name: 'Every team in 2026-01' })
      .getByRole('link', { name: 'Search' })
      .click();
    await page.getByRole('button', { name: 'Delete Search' }).click();
    await dialog.getByText('nobody owns its spend: it becomes unallocated').waitFor();
    await dialog.getByRole('button', { name: 'Delete team' }).click();
    await dialog.getByRole('alert').getByText('shared cost "Network"').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await openTeams('Shared costs');
    await page.getByRole('button', { name: 'Delete Network' }).click();
    await dialog.getByRole('button', { name: 'Delete shared cost' }).click();
    await page.getByText('There is none yet.').waitFor();
    expect(await sharedCosts()).toEqual([]);

    await page.goto(`/teams/${id}`);
    await page.getByRole('button', { name: 'Delete Search' }).click();
    await dialog.getByRole('button', { name: 'Delete team' }).click();
    const table = page.getByRole('table', { name: 'Every team in 2026-01' });
    await table.getByRole('row', { name: /^Unallocated.*\$80\.00/ }).waitFor();
    expect(await table.getByRole('link').allInnerTexts()).toEqual(['Storefront']);
    expectError(await admin.get(`/teams/${id}`), 404);
    expect(await january()).toEqual({ Storefront: 100, unallocated: 80 });
  });
});
