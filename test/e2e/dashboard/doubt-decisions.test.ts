import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/browser.ts';
import { tabTo, untilInDialog } from '../../support/browser/keyboard.ts';
import { openJanuary } from '../../support/browser/month-row.ts';
import { violationsOf } from '../../support/browser/violations.ts';
import { doubtfulExports } from '../../support/exports/doubtful-exports.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { newOrganisation } from '../../support/service/api-client.ts';
import { connectExports, newOrders } from '../../support/service/connected-exports.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

const TWO_EXPORTS = 'a member account whose own export is connected beside its payer’s';
const NODE_NAME = 'a node name where an instance id belongs';

interface Source {
  id: string;
  options: Record<string, string>;
}

/**
 * Doubts that end once a person says what is true, on the page of the month. It is 7 February 2026, and January has 10 orders:
 *
 *   two exports  31 × (10 + 4) = 434 of the payer, and 31 × 4 = 124 again of the member: 558 if both are right, and 434 if not
 *   … and a tax  11 more for the member's account in the payer's export, which is lost if the account ends there
 *   a node name  31 × (10 + 6) = 496 on the bill, and 31 × 6 = 186 that the cluster reports: 682 if no bill includes it
 */
describeInBrowser('a decision about a doubt', (browser) => {
  let service: SharedService;

  beforeAll(async () => {
    service = await sharedService();
  });

  /** Connects doubtful exports, the first one with more files, and opens the page of a metric with the doubt. */
  const open = async (name: string, alsoIn: Record<string, string> = {}) => {
    const { admin, secret } = await newOrganisation(service, { name: 'Decision shop' });
    const orders = await newOrders(admin, ['2026-01']);
    const { sources = [] } = doubtfulExports()[name] ?? {};
    const [first, ...others] = sources;
    const bill = first === undefined ? [] : [{ ...first, files: { ...first.files, ...alsoIn } }];
    await connectExports(admin, join(service.exportsDir, secret), [...bill, ...others]);
    const january = async () =>
      expectData(
        await admin.get<{ month: string; cost: number; status: string; missing: object[] }[]>(
          `/metrics/${orders}/months`,
        ),
      ).find(({ month }) => month === '2026-01');
    /** The source of the cluster, whose options the decisions change. */
    const cluster = async () =>
      expectPage(await admin.get<Source[]>('/cost-sources')).items.find(
        ({ options }) => 'assets_location' in options,
      );
    const page = await openJanuary(browser(), { url: service.url, key: secret, metric: orders });
    const done = () => {
      expect(page.loads).toEqual([]);
    };
    return { ...page, admin, january, cluster, done };
  };

  it('that both sources are right keeps the charges of both, once the service has heard it', async () => {
    const { page, row, dialog, doubts, january, done } = await open(TWO_EXPORTS);
    await doubts.getByText(/charges "aws\/2222".*Amount: \$124\.00/).waitFor();
    const both = row.getByRole('button', { name: 'Both are right (2026-01, aws/2222)' });
    await both.click();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await january()).toMatchObject({ cost: 558, status: 'open', missing: [{ amount: 124 }] });

    await page.route('**/units/confirm', (route) => route.abort());
    await both.click();
    await dialog.getByRole('button', { name: 'Both are right' }).click();
    await dialog.getByRole('alert').getByText('The service cannot be reached.').waitFor();
    expect(await january()).toMatchObject({ cost: 558, status: 'open', missing: [{ amount: 124 }] });
    await doubts.getByText('Amount: $124.00').waitFor();

    await page.unroute('**/units/confirm');
    await dialog.getByRole('button', { name: 'Both are right' }).click();
    await row.getByText('Ready to lock').waitFor();
    await doubts.waitFor({ state: 'detached' });
    expect(await row.innerText()).toMatch(/\$558\.00\s+10\s+\$55\.80/);
    expect(await january()).toMatchObject({ cost: 558, status: 'ready_to_lock', missing: [] });
    done();
  });

  it('that one of two sources ends keeps the charges of the other, from the month on', async () => {
    const { page, row, dialog, doubts, january, done } = await open(TWO_EXPORTS);
    await row.getByRole('button', { name: 'End it in Source 0 (2026-01, aws/2222)' }).waitFor();
    await row.getByRole('button', { name: 'End it in Source 1 (2026-01, aws/2222)' }).click();
    await dialog.getByText('End "aws/2222" in cost source "Source 1": its later days count only').waitFor();
    expect(await dialog.getByLabel('Last day').inputValue()).toBe('2025-12-31');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'End it' }).click();
    await row.getByText('Ready to lock').waitFor();
    await doubts.waitFor({ state: 'detached' });
    // 558 − 124
    expect(await row.innerText()).toMatch(/\$434\.00\s+10\s+\$43\.40/);
    expect(await january()).toMatchObject({ cost: 434, status: 'ready_to_lock', missing: [] });
    done();
  });

  it('that an account is right without the tax that only the ended source has', async () => {
    // The payer's export has a tax of 11 for the member's account on the last day.
    const tax = dayLine('2026-01-31', '11', { SubAccountId: '2222', ChargeCategory: 'Tax' });
    const { page, row, dialog, doubts, january, done } = await open(TWO_EXPORTS, {
      'tax.csv': focusCsv([tax]),
    });
    await row.getByRole('button', { name: 'End it in Source 0 (2026-01, aws/2222)' }).click();
    await dialog.getByRole('button', { name: 'End it' }).click();
    await doubts.getByText(/has ended "aws\/2222", but has more of it.*Amount: \$11\.00/).waitFor();
    // The member's export has 124 of the account, and the payer's 310 of its own.
    expect(await january()).toMatchObject({ cost: 434, status: 'open', missing: [{ amount: 11 }] });
    await row.getByRole('button', { name: 'End it later in Source 0 (2026-01, aws/2222)' }).click();
    expect(await dialog.getByLabel('Last day').inputValue()).toBe('2026-01-31');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await row.getByRole('button', { name: 'It is right without them (2026-01, aws/2222)' }).click();
    await dialog.getByRole('button', { name: 'It is right without them' }).click();
    await row.getByText('Ready to lock').waitFor();
    expect(await january()).toMatchObject({ cost: 434, status: 'ready_to_lock', missing: [] });
    done();
  });

  it('that machines are on the bill is sent once, although each button is clicked twice', async () => {
    const { page, row, dialog, doubts, sent, january, cluster, done } = await open(NODE_NAME);
    await doubts.getByText(/Amount: \$186\.00/).waitFor();
    // The cluster has spend since November, as its starts_on says, and lacks December.
    await page.getByRole('list', { name: 'Doubts about 2025-12' }).getByText('has not delivered').waitFor();
    const before = await cluster();
    await row.getByRole('button', { name: 'They are on the bill (2026-01)' }).dblclick();
    await dialog.getByRole('button', { name: 'They are on the bill' }).dblclick();
    await row.getByText('Ready to lock').waitFor();
    await doubts.waitFor({ state: 'detached' });
    // 682 − 186
    expect(await row.innerText()).toMatch(/\$496\.00\s+10\s+\$49\.60/);
    expect(await january()).toMatchObject({ cost: 496, status: 'ready_to_lock', missing: [] });
    expect(await cluster()).toMatchObject({ options: { ...before?.options, on_bill: 'always' } });
    expect(sent).toEqual([`PATCH /api/v1/cost-sources/${before?.id ?? ''}`]);
    done();
  });

  it('that machines are on no bill needs no mouse', async () => {
    const { page, row, dialog, doubts, january, cluster, done } = await open(NODE_NAME);
    await tabTo(page, /^They are on no bill \(2026-01\)/);
    await page.getByRole('tooltip').getByText('no bill includes these machines').waitFor();
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'They are on no bill' }).waitFor();
    await untilInDialog(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await january()).toMatchObject({ status: 'open', missing: [{ amount: 186 }] });

    // The focus is on the button again.
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'They are on no bill' }).waitFor();
    await untilInDialog(page);
    await tabTo(page, /^They are on no bill$/);
    await page.keyboard.press('Enter');
    await row.getByText('Ready to lock').waitFor();
    await doubts.waitFor({ state: 'detached' });
    expect(await row.innerText()).toMatch(/\$682\.00\s+10\s+\$68\.20/);
    expect(await january()).toMatchObject({ cost: 682, status: 'ready_to_lock', missing: [] });
    expect(await cluster()).toMatchObject({ options: { on_bill: 'never' } });
    done();
  });

  it('changes nothing if somebody else has decided meanwhile', async () => {
    const { page, row, dialog, doubts, sent, admin, january, cluster, done } = await open(NODE_NAME);
    const { id, options } = (await cluster()) ?? { id: '', options: {} };
    expectData(await admin.patch(`/cost-sources/${id}`, { options: { ...options, on_bill: 'always' } }));
    await row.getByRole('button', { name: 'They are on no bill (2026-01)' }).click();
    await dialog.getByRole('button', { name: 'They are on no bill' }).click();
    await page.getByText('Nothing was changed, because this doubt had ended already.').waitFor();
    await row.getByText('Ready to lock').waitFor();
    await doubts.waitFor({ state: 'detached' });
    await dialog.waitFor({ state: 'hidden' });
    expect(await row.innerText()).toMatch(/\$496\.00\s+10\s+\$49\.60/);
    expect(await january()).toMatchObject({ cost: 496, status: 'ready_to_lock', missing: [] });
    expect(await cluster()).toMatchObject({ options: { on_bill: 'always' } });
    expect(sent).toEqual([]);
    done();
  });
});
