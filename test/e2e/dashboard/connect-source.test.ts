import { gzipSync } from 'node:zlib';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowserWith, expectRows, openFromMenu } from '../../support/browser/browser.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { startAzurite } from '../../support/fakes/buckets/azurite.ts';
import { exportsIn } from '../../support/exports/write-export.ts';
import { newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';
import { withOpened } from '../../support/with-opened.ts';

interface Source {
  id: string;
  name: string;
  kind: string;
  location: string;
}

const days = (month: string, count: number): string[] =>
  Array.from({ length: count }, (_, day) => `${month}-${String(day + 1).padStart(2, '0')}`);

const JANUARY = days('2026-01', 31);
/** 31 days of 10 USD. */
const BILL = focusCsv(JANUARY.map((day) => dayLine(day, '10')));
/** 30 days of 1 USD. */
const NOVEMBER = focusCsv(days('2025-11', 30).map((day) => dayLine(day, '1')));

const text = (name: string, content: string | Buffer) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(content),
});

/**
 * An admin who has only a browser. It is 7 February 2026. Numbers are calculated by hand (USD):
 *
 *   bill     31 days x 10 = 310
 *   orders   31 days x 2 = 62
 *   unit     310 / 62 = 5 per order
 */
describeInBrowserWith(['extensions'], 'connecting a source', (browser) => {
  let service: SharedService;
  const azurite = withOpened(() => startAzurite(['acmebills']));

  const newVisitor = async (name: string): Promise<{ page: Page; admin: Api }> => {
    const { admin, secret } = await newOrganisation(service, { name, tier: 'business' });
    const { page } = await browser().signedIn(service.url, secret);
    return { page, admin };
  };
  const choose = async (
    page: Page,
    button: Locator,
    files: { name: string; mimeType: string; buffer: Buffer }[],
  ): Promise<void> => {
    const chooser = page.waitForEvent('filechooser');
    await button.click();
    await (await chooser).setFiles(files);
  };
  const chooseFiles = (page: Page) => page.getByRole('button', { name: 'Choose files' });
  const sources = async (admin: Api): Promise<Source[]> =>
    expectPage(await admin.get<Source[]>('/cost-sources')).items;
  /** A busy machine may not look in time, and then the page says so. */
  const check = async (page: Page, expected: RegExp): Promise<void> => {
    const late = page.getByText('did not answer in time');
    do {
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByText(expected).or(late).first().waitFor();
    } while ((await late.count()) > 0);
  };
  const files = (page: Page): Locator => page.getByRole('table', { name: 'Files of the source' });
  const lastRun = (page: Page, words: string): Promise<void> =>
    page
      .getByRole('table', { name: 'About this source' })
      .getByRole('row', { name: 'Last run' })
      .filter({ hasText: words })
      .waitFor();

  beforeAll(async () => {
    service = await sharedService();
  });

  it('leads an empty organisation to its first unit cost in six clicks, with a file', async () => {
    const { page, admin } = await newVisitor('Empty shop');
    let clicks = 0;
    await page.exposeFunction('countClick', () => {
      clicks += 1;
    });
    await page.evaluate(
      "document.addEventListener('click', (event) => event.isTrusted && countClick(), true)",
    );
    await page.getByText('There is no spend yet.').waitFor();
    await page.getByRole('link', { name: 'Send a file' }).click();
    await choose(page, chooseFiles(page), [text('bill.csv', BILL)]);
    await page.getByText('Recognized by its columns: A cloud bill in the FOCUS format.').waitFor();
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { name: 'Cloud bill', level: 1 }).waitFor();
    const next = page.getByRole('status').filter({ hasText: 'Next: what the spend is divided by' });
    await next.getByText('$310.00').waitFor();
    await next.getByRole('link', { name: 'New metric' }).click();
    await page.getByLabel('Name').fill('Orders');
    await page.getByLabel('Unit').fill('order');
    await page.getByRole('button', { name: 'Create metric' }).click();
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    const orders = JANUARY.map((day) => `${day},2`).join('\n');
    await choose(page, page.getByRole('button', { name: 'Upload CSV' }), [text('orders.csv', orders)]);
    const january = page
      .getByRole('table', { name: 'Months' })
      .getByRole('row')
      .filter({ hasText: '2026-01' });
    for (const words of ['$310.00', '62', '$5.00']) await january.getByText(words, { exact: true }).waitFor();
    expect(clicks).toBe(6);
    expect(await sources(admin)).toMatchObject([{ name: 'Cloud bill', kind: 'focus', location: 'upload' }]);
  });

  it('says of each file why it cannot be sent, and stores the source once', async () => {
    const { page, admin } = await newVisitor('Careful shop');
    await page.goto('/sources/new?from=file');
    const connect = page.getByRole('button', { name: 'Connect', exact: true });
    expect(await connect.isDisabled()).toBe(true);
    await choose(page, chooseFiles(page), [
      text('bill.xlsx', 'PK\u0003\u0004'),
      text('bill.csv.gz', gzipSync(BILL)),
      text('broken.parquet', BILL),
    ]);
    await page
      .getByRole('alert')
      .getByText('Expected a file that ends in .csv, .csv.gz or .parquet.')
      .waitFor();
    expect(await connect.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Remove bill.xlsx' }).click();
    await page.getByLabel('Name').fill('Bills');
    await connect.dblclick();
    await page.getByRole('alert').getByText('1 file could not be sent.').waitFor();
    await page
      .getByRole('alert')
      .getByText(/expected Parquet, as the name says, got something else/)
      .waitFor();
    await page.getByRole('button', { name: 'Remove broken.parquet' }).click();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Bills', level: 1 }).waitFor();
    await lastRun(page, '31 rows read');
    expect(await sources(admin)).toHaveLength(1);
    await expectRows(files(page), [
      'File Size Sent Change',
      expect.stringMatching(/^bill\.csv\.gz .* Send again Delete$/) as string,
    ]);
  });

  it('lists the files of a source, to send more, to send again and to delete', async () => {
    const { page, admin } = await newVisitor('Filing shop');
    const { id } = expectData(
      await admin.post<Source>('/cost-sources', { name: 'Bills', kind: 'focus', location: 'upload' }),
    );
    await page.goto(`/sources/${id}`);
    await page.getByText('No file has been sent.').waitFor();
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Send files' }).click();
    await choose(page, chooseFiles(page), [text('january.csv', BILL), text('november.csv', NOVEMBER)]);
    await dialog.getByRole('button', { name: 'Send and read' }).click();
    await lastRun(page, '61 rows read');
    const names = async (): Promise<string[]> =>
      expectData(await admin.get<{ name: string }[]>(`/cost-sources/${id}/files`)).map(({ name }) => name);
    expect(await names()).toEqual(['january.csv', 'november.csv']);
    await choose(page, page.getByRole('button', { name: 'Send again: november.csv' }), [
      text('corrected.csv', NOVEMBER.replaceAll(',1,', ',2,')),
    ]);
    await page.getByText('november.csv is sent again. The next run reads it.').waitFor();
    await page.getByRole('button', { name: 'Delete: january.csv' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('january.csv is deleted.').waitFor();
    await files(page).getByText('january.csv').waitFor({ state: 'detached' });
    expect(await names()).toEqual(['november.csv']);
  });

  it('looks at a bill before it is connected, and says what to change', async () => {
    const { page, admin } = await newVisitor('Looking shop');
    const write = exportsIn(service.exportsDir);
    const found = page.getByRole('table', { name: 'What was found' });
    await page.goto('/sources/new?from=other&by=focus');
    await page.getByLabel('Location').fill(await write('euro.csv', BILL.replaceAll('USD', 'EUR')));
    await check(page, /^The bill is in EUR, and the organisation in USD/);
    await page.getByLabel('Location').fill(await write('bill.csv', BILL));
    await found.waitFor({ state: 'detached' });
    await check(page, /^This can be read$/);
    await found.getByRole('row', { name: 'Months' }).getByText('1 month: 2026-01').waitFor();
    await found.getByRole('row', { name: 'Days' }).getByText('2026-01-01 to 2026-01-31').waitFor();
    await found.getByRole('row', { name: 'Currency' }).getByText('USD').waitFor();
    await found.getByRole('row', { name: 'Accounts' }).getByText('1 account: 1111').waitFor();
    expect(await sources(admin)).toEqual([]);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await lastRun(page, '31 rows read');
    expect(await sources(admin)).toHaveLength(1);
  });

  it('connects a container of Azure, after the refused signature stands at its field', async () => {
    await azurite.put('acmebills', 'exports', 'focus/20260101-20260131/part_0.csv', BILL);
    const { page, admin } = await newVisitor('Azure shop');
    await page.getByRole('link', { name: 'Connect a source' }).click();
    await page.getByRole('radio', { name: /^Microsoft Azure/ }).click();
    await page.getByLabel('Location').fill('az://acmebills/exports/focus');
    const signature = page.getByLabel('Shared access signature (SAS)');
    await signature.fill(azurite.sasOf('acmebills', { permissions: 'r' }));
    await page.getByRole('button', { name: 'More settings' }).click();
    await page.getByLabel('Endpoint').fill(azurite.url);
    await check(page, /^The “Shared access signature \(SAS\)” may not list the container exports: make one/);
    await page.locator('input[data-path="credentials.sas_token"]:focus').waitFor();
    await signature.fill(azurite.sasOf('acmebills'));
    await check(page, /^This can be read$/);
    expect(await page.getByLabel('Location').inputValue()).toBe('az://acmebills/exports/focus');
    expect(await sources(admin)).toEqual([]);
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { name: 'Azure', level: 1 }).waitFor();
    await lastRun(page, '31 rows read');
    await page
      .getByRole('table', { name: 'About this source' })
      .getByRole('row', { name: 'Credentials' })
      .getByText(/^SAS until \d{4}-\d\d-\d\d, set on Feb 7, 2026/)
      .waitFor();
    expect(await sources(admin)).toMatchObject([{ name: 'Azure', location: 'az://acmebills/exports/focus' }]);
  });

  it('shows the steps with the names that are typed, and a refusal at its field without losing anything', async () => {
    const { page, admin } = await newVisitor('Cloud shop');
    await openFromMenu(page, 'Sources');
    await page.getByRole('link', { name: 'Connect a source' }).first().click();
    await page.getByRole('radio', { name: /^AWS/ }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowRight');
    await page.getByRole('group', { name: 'the commands' }).getByText('--account-name ACCOUNT').waitFor();
    await page.keyboard.press('ArrowLeft');
    const policy = page.getByRole('group', { name: 'the policy' });
    await policy.getByText('arn:aws:s3:::BUCKET/*').waitFor();
    await page.getByLabel('Location').fill('s3://acme-bills/focus');
    await policy.getByText('arn:aws:s3:::acme-bills/focus/*').waitFor();
    await page.getByLabel('Secret access key').fill('not-a-real-secret');
    await page.getByRole('radio', { name: 'Cost and Usage Report (CUR)' }).check();
    expect(await page.getByLabel('Location').inputValue()).toBe('s3://acme-bills/focus');
    expect(await page.getByLabel('Secret access key').inputValue()).toBe('not-a-real-secret');
    expect(page.url()).toMatch(/\/sources\/new\?from=aws&by=cur$/);
    await page.getByRole('radio', { name: 'Data Exports, FOCUS' }).check();
    await page.getByLabel('Location').fill('/etc/passwd');
    await page.getByLabel('Secret access key').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByText(/^A local file must lie under .* \(setting SOURCE_ROOTS\)/).waitFor();
    await page.locator('input[data-path=location]:focus').waitFor();
    expect(await page.getByLabel('Location').getAttribute('aria-invalid')).toBe('true');
    expect(await sources(admin)).toEqual([]);
  });
});
