import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, expectRows } from '../../support/browser/browser.ts';
import { openJanuary, type MonthRow } from '../../support/browser/month-row.ts';
import { violationsOf } from '../../support/browser/violations.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { createMetric } from '../../support/service/create.ts';
import { newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { loadBill } from '../../support/service/load-bill.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

const SENTENCE =
  'cost source "AWS" has not delivered 2026-01-21 to 2026-01-31 (delivered through 2026-01-20)';

/** The days of January that the bill has at first: 20 days of 10 USD. The rest, 11 days of 10 USD, comes late. */
const days = (last: number) =>
  Array.from({ length: last }, (_, day) => dayLine(`2026-01-${String(day + 1).padStart(2, '0')}`, '10'));

/**
 * The doubts of a month on the page of its metric, and what people can do about them. It is 7 February 2026. January costs 200
 * of 310 USD, for 31 orders and 20 checkouts: 200 / 20 is 10 per checkout, and 310 / 31 is 10 per order.
 */
describeInBrowser('the doubts about a month', (browser) => {
  let service: SharedService;
  let admin: Api;
  let secret: string;
  const ids = new Map<string, string>();

  const january = async (name: string) =>
    expectData(
      await admin.get<{ month: string; status: string; unit_cost: number; version: number | null }[]>(
        `/metrics/${ids.get(name) ?? ''}/months`,
      ),
    ).find(({ month }) => month === '2026-01');

  const openMetric = (key: string, name: string): Promise<MonthRow> =>
    openJanuary(browser(), { url: service.url, key, metric: ids.get(name) ?? '' });

  beforeAll(async () => {
    service = await sharedService();
    ({ admin, secret } = await newOrganisation(service, { name: 'Doubt shop', tier: 'business' }));
    await loadBill(service, admin, days(20));
    for (const [name, value] of [
      ['Orders', 31],
      ['Checkouts', 20],
    ] as const) {
      const unit = name.slice(0, -1).toLowerCase();
      ids.set(name, await createMetric(admin, { name, unit }, [{ period: '2026-01-31', value }]));
    }
  });

  it.each([
    ['read', ['Open the source']],
    ['write', ['Read it again', 'Open the source']],
  ] as const)('stand there once, with the ways out that a %s key may take', async (permission, buttons) => {
    const key = expectData(
      await admin.post<{ secret: string }>('/keys', { name: permission, permission }),
    ).secret;
    const { visit, page, row, doubts } = await openMetric(key, 'Orders');
    await doubts.getByText(SENTENCE.replace('cost', 'Cost')).waitFor();
    expect((await row.innerText()).split('has not delivered')).toHaveLength(2);
    expect(await doubts.getByRole('button').allInnerTexts()).toEqual(buttons);
    await row.getByRole('button', { name: 'Open the source (2026-01)' }).click();
    await page.getByRole('heading', { name: 'AWS', level: 1 }).waitFor();
    expect(visit.answers.every(({ status }) => status !== 403)).toBe(true);
  });

  it('stand in no empty month before the first spend', async () => {
    const { page, row } = await openMetric(secret, 'Orders');
    const table = page.getByRole('table', { name: 'Months' });
    await expect.poll(() => table.getByRole('row').count(), { timeout: WAIT_MS }).toBe(13);
    expect(await table.getByRole('list', { name: /Doubts/ }).count()).toBe(1);
    expect(await row.getByRole('list', { name: /Doubts/ }).count()).toBe(1);
    expect(await table.getByRole('row', { name: /^2025-12 / }).innerText()).toMatch(
      /Open\s+No spend has been ingested for 2025-12; no value has been recorded for 2025-12\.$/,
    );
  });

  it('can be accepted: the lock lists what it would do without', async () => {
    const { page, row, dialog } = await openMetric(secret, 'Checkouts');
    await row.getByRole('button', { name: 'Lock 2026-01' }).click();
    expect(await dialog.getByRole('button', { name: 'Lock', exact: true }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await row.getByRole('button', { name: 'Accept it (2026-01)' }).click();
    await expectRows(dialog.getByRole('table', { name: 'What the lock would do without' }), [
      'Doubt Amount',
      // 11 days at 10
      `${SENTENCE.replace('cost', 'Cost')}. $110.00`,
    ]);
    expect(await dialog.getByLabel('Lock without it.').isChecked()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Lock', exact: true }).click();
    await row.getByText('Locked', { exact: true }).waitFor();
    expect(await row.getByRole('list', { name: /Doubts/ }).count()).toBe(0);
    expect(await january('Checkouts')).toMatchObject({ status: 'locked', version: 1, unit_cost: 10 });
    await row.getByRole('button', { name: 'Versions of 2026-01' }).click();
    await dialog.getByText('Missing when version 1 was locked').waitFor();
    await dialog.getByText(SENTENCE.replace('cost', 'Cost')).waitFor();
  });

  it('end once the source is read again with what was missing', async () => {
    const { row } = await openMetric(secret, 'Orders');
    await writeFile(
      join(service.exportsDir, 'bill.csv'),
      focusCsv([...days(31), dayLine('2026-02-05', '10')]),
    );
    await row.getByRole('button', { name: 'Read it again (2026-01)' }).click();
    await row.getByText('Ready to lock').waitFor();
    expect(await row.getByRole('list', { name: /Doubts/ }).count()).toBe(0);
    expect(await january('Orders')).toMatchObject({ status: 'ready_to_lock', unit_cost: 10 });
  });

  it('about an account that has stopped end once an admin says so, and come back if it has not', async () => {
    const other = await newOrganisation(service, { name: 'Account shop', tier: 'business' });
    const month = (name: string, last: number, account: string) =>
      Array.from({ length: last }, (_, day) =>
        dayLine(`${name}-${String(day + 1).padStart(2, '0')}`, '10', { SubAccountId: account }),
      );
    // December has 31 days of both accounts. In January account 2222 stops on the 12th: 310 + 120 = 430 USD for 43 orders.
    const source = await loadBill(service, other.admin, [
      ...month('2025-12', 31, '1111'),
      ...month('2025-12', 31, '2222'),
      ...month('2026-01', 31, '1111'),
      ...month('2026-01', 12, '2222'),
    ]);
    ids.set('Orders', await createMetric(other.admin, {}, [{ period: '2026-01-31', value: 43 }]));
    const { page, row, dialog, doubts } = await openMetric(other.secret, 'Orders');
    // 19 days at 10 USD a day.
    await doubts.getByText(/Account 2222 \(aws\).*2026-01-13 to 2026-01-31.*Amount: \$190\.00/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await row.getByRole('button', { name: 'It has ended (2026-01, aws/2222)' }).click();
    expect(await dialog.getByLabel('Last day').inputValue()).toBe('2026-01-12');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'End it' }).click();
    await row.getByText('Ready to lock').waitFor();
    expect(await row.innerText()).toContain('$430.00');

    await page.goto(`/sources/${source}`);
    const units = page.getByRole('table', { name: 'Units of the source' });
    await expectRows(units, [
      'Unit First day Last day Missing Doubts Actions',
      'aws/1111 2025-12-01 2026-01-31 It has ended',
      'aws/2222 2025-12-01 2026-01-12 Ended on 2026-01-12. It has not ended',
    ]);
    expect(await violationsOf(page)).toEqual([]);
    await units.getByRole('button', { name: 'It has not ended: aws/2222' }).click();
    // A unit in doubt stands first.
    await units
      .getByRole('row')
      .nth(1)
      .filter({ hasText: /^aws\/2222.*2026-01-13 to 2026-01-31/ })
      .waitFor();
    await units.getByRole('button', { name: 'It has ended: aws/2222' }).click();
    await dialog.getByLabel('Last day').fill('2026-01-13');
    await dialog.getByRole('button', { name: 'End it' }).click();
    await units.getByText('Ended on 2026-01-13.').waitFor();
  });
});
