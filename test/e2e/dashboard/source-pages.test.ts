import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowserWith, expectRows, openFromMenu } from '../../support/browser/browser.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { listenLocally, sendContent } from '../../support/fakes/file-server.ts';
import { newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';
import { withOpened } from '../../support/with-opened.ts';

interface Source {
  id: string;
  name: string;
  last_run: { status: string; cost_total: number | null } | null;
}

/** Five lines for each day of January, of 0.1 each. */
const JANUARY = Array.from({ length: 155 }, (_, line) =>
  dayLine(`2026-01-${String(Math.floor(line / 5) + 1).padStart(2, '0')}`, '0.1'),
);
const WRONG = dayLine('2026-01-02', 'abc');

/**
 * A cost source from its connection to its end. It is 7 February 2026. Each test continues the story. A server has the bill.
 * Numbers are calculated by hand (USD):
 *
 *   run 1  1 row of 2 has no number for its cost: fails, because too many rows are wrong
 *   run 2  155 x 0.1 = 15.5, and the wrong row: completes, because 1 row of 156 is few
 *   run 3  the same without the wrong row, so that January settles
 *   run 4  without 31 January 150 x 0.1 = 15: fails, because January has settled
 *   run 5  the same, accepted: 15 - 15.5 = -0.5
 */
describeInBrowserWith(['extensions'], 'the pages of cost sources', (browser) => {
  let service: SharedService;
  let admin: Api;
  let page: Page;
  const files = withOpened(() =>
    listenLocally((request, response) => {
      void released.then(() => {
        sendContent(request, response, Buffer.from(bill));
      });
    }),
  );
  let bill = focusCsv([JANUARY[0] ?? {}, WRONG]);
  /** Lets the server answer. */
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });

  const dialog = (): Locator => page.getByRole('dialog');
  const table = (name: string): Locator => page.getByRole('table', { name });
  const fact = (name: string, of = page): Locator =>
    of.getByRole('table', { name: 'About this source' }).getByRole('row', { name });
  const sources = async (): Promise<Source[]> => expectPage(await admin.get<Source[]>('/cost-sources')).items;
  const costOfJanuary = async (): Promise<number> =>
    expectData(await admin.get<{ total: number }>('/costs?start_date=2026-01-01&end_date=2026-01-31')).total;
  const openSource = async (of: Page, name: string): Promise<void> => {
    await openFromMenu(of, 'Sources');
    await of.getByRole('link', { name, exact: true }).click();
    await of.getByRole('heading', { name, level: 1 }).waitFor();
  };
  const openForm = async (place: RegExp, way?: string): Promise<void> => {
    await page.getByRole('link', { name: 'Connect a source' }).first().click();
    await page.getByRole('radio', { name: place }).click();
    if (way !== undefined) await page.getByRole('radio', { name: way, exact: true }).check();
  };
  const connect = (): Promise<void> => page.getByRole('button', { name: 'Connect', exact: true }).click();
  const runNow = async (): Promise<void> => {
    await page.getByRole('button', { name: /^Run now: / }).click();
    await dialog().getByRole('button', { name: 'Run', exact: true }).click();
  };
  /** Waits until the newest run has ended. A run that is refused names no rows. */
  const ended = (status: string, rows: number | null, of = page): Promise<void> =>
    fact('Last run', of)
      .filter({ hasText: status })
      .filter(rows === null ? { hasNotText: 'rows read' } : { hasText: `${rows} rows read` })
      .waitFor();

  beforeAll(async () => {
    service = await sharedService();
    const organisation = await newOrganisation(service, { name: 'Sources shop', tier: 'business' });
    ({ admin } = organisation);
    ({ page } = await browser().signedIn(service.url, organisation.secret));
  });

  it('connects a source after the form has shown why another location is refused', async () => {
    await openFromMenu(page, 'Sources');
    await page.getByText('There is no source yet.').waitFor();
    await openForm(/^AWS/);
    await page.getByLabel('Location').fill('/etc/passwd');
    await connect();
    await page
      .getByRole('alert')
      .getByText(/location: a local file must lie under .* \(setting SOURCE_ROOTS\)/)
      .waitFor();
    expect(await sources()).toEqual([]);
    await page.getByLabel('Location').fill(`${files.url}/bill.csv`);
    await page.getByRole('button', { name: 'More settings' }).click();
    await page.getByLabel('Starts on').click();
    await page.getByRole('button', { name: 'Month before' }).click();
    await page.getByRole('button', { name: '1 January 2026', exact: true }).click();
    await connect();
    await page.getByRole('heading', { name: 'AWS', level: 1 }).waitFor();
    expect(await sources()).toMatchObject([
      {
        name: 'AWS',
        kind: 'focus',
        location: `${files.url}/bill.csv`,
        starts_on: '2026-01-01',
        options: { cost_column: 'EffectiveCost' },
        schedule_paused: false,
        last_run: { status: 'running' },
      },
    ]);
    await fact('Starts on').getByText('2026-01-01').waitFor();
    await fact('Delivered through').getByText('No whole day with spend has arrived yet.').waitFor();
  });

  it('shows the first run while it is under way, and its end without a reload', async () => {
    await fact('Last run')
      .getByText(/^0 rows read so far, since Feb 7, 2026/)
      .waitFor();
    expect(await page.getByRole('button', { name: 'Running: AWS' }).isDisabled()).toBe(true);
    await page.getByText('The run is under way.').waitFor();
    release();
    await ended('failed', 2);
    await page
      .getByRole('alert', { name: 'Why it failed' })
      .getByText(/1 of 2 rows/)
      .waitFor();
    await expectRows(table('Problems of rejected rows'), [
      'Problem File Rows',
      `EffectiveCost: expected a decimal number, got "abc" ${files.url}/bill.csv 1`,
    ]);
    bill = focusCsv([...JANUARY, WRONG]);
    await runNow();
    await ended('completed', 156);
    await fact('Delivered through').getByText('2026-01-31').waitFor();
    await expectRows(table('Cost of each month before and after the run'), [
      'Month Before After Difference',
      '2026-01 – the source had no cost of the month $15.50 $15.50',
    ]);
    await expectRows(table('Problems of rejected rows'), [
      'Problem File Rows',
      `EffectiveCost: expected a decimal number, got "abc" ${files.url}/bill.csv 1`,
    ]);
    expect(await costOfJanuary()).toBe(15.5);
  });

  it('refuses to lose days of a settled month until the admin accepts it', async () => {
    bill = focusCsv(JANUARY);
    await runNow();
    await ended('completed', 155);
    bill = focusCsv(JANUARY.slice(0, 150));
    await runNow();
    await ended('failed', null);
    await page
      .getByText(/the export no longer has 2026-01-31, which had 0.5 USD/)
      .first()
      .waitFor();
    expect(await costOfJanuary()).toBe(15.5);
    await page.getByRole('button', { name: 'Run now: AWS' }).click();
    await dialog().getByLabel('From month').click();
    await page.getByRole('button', { name: 'Jan', exact: true }).click();
    await dialog().getByLabel('Accept that days vanish').check();
    await dialog().getByRole('button', { name: 'Run', exact: true }).click();
    await ended('completed', 150);
    await fact('Delivered through').getByText('2026-01-30').waitFor();
    const changes = table('Cost of each month before and after the run');
    await expectRows(changes, ['Month Before After Difference', '2026-01 $15.50 $15.00 -$0.50']);
    expect(await costOfJanuary()).toBe(15);
    // The address names the run that is open.
    const oldest = table('List of runs').getByRole('button').last();
    await oldest.click();
    await page.getByText(/1 of 2 rows/).waitFor();
    await page.reload();
    await page.getByText(/1 of 2 rows/).waitFor();
    expect(await oldest.getAttribute('aria-expanded')).toBe('true');
  });

  it('changes a source, pauses its daily reading and resumes it', async () => {
    const edit = async (change: () => Promise<void>): Promise<void> => {
      await page.getByRole('button', { name: 'Edit' }).click();
      await change();
      await dialog().getByRole('button', { name: 'Save' }).click();
    };
    const toggle = (): Promise<void> => dialog().getByRole('switch', { name: 'Read it daily' }).click();
    await openSource(page, 'AWS');
    await edit(toggle);
    await fact('Schedule').getByText('Paused.').waitFor();
    expect(await sources()).toMatchObject([{ schedule_paused: true }]);
    await edit(async () => {
      await toggle();
      await dialog().getByLabel('Name').fill('Cloud bill');
      await dialog().getByLabel('Currency').fill('EUR');
    });
    await dialog()
      .getByRole('alert')
      .getByText(/currency/)
      .waitFor();
    expect(await sources()).toMatchObject([{ name: 'AWS', schedule_paused: true }]);
    await dialog().getByLabel('Currency').fill('');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Cloud bill', level: 1 }).waitFor();
    await fact('Schedule').getByText('Read daily').waitFor();
    expect(await sources()).toMatchObject([{ name: 'Cloud bill', schedule_paused: false }]);
  });

  it('lets a write key run a source, and a read key see it', async () => {
    bill = focusCsv(JANUARY);
    for (const permission of ['write', 'read']) {
      const { secret } = expectData(
        await admin.post<{ secret: string }>('/keys', { name: permission, permission }),
      );
      const other = await browser().signedIn(service.url, secret);
      await openSource(other.page, 'Cloud bill');
      await other.page.getByRole('table', { name: 'List of runs' }).waitFor();
      const buttons = other.page.getByRole('main').getByRole('button');
      const run = other.page.getByRole('button', { name: 'Run now: Cloud bill' });
      expect(await buttons.getByText(/Edit|Delete/).count()).toBe(0);
      expect(await run.count()).toBe(permission === 'write' ? 1 : 0);
      if (permission === 'write') {
        await run.click();
        await other.page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
        await ended('completed', 155, other.page);
        expect(await costOfJanuary()).toBe(15.5);
      }
      await openFromMenu(other.page, 'Sources');
      await other.page.getByRole('table', { name: 'List of cost sources' }).waitFor();
      expect(await other.page.getByRole('link', { name: 'Connect a source' }).count()).toBe(0);
      expect(other.answers.every(({ status }) => status !== 403)).toBe(true);
    }
  });

  it('connects AI tools with the fields of their kind, and deletes a source after it has asked', async () => {
    await openFromMenu(page, 'Sources');
    await openForm(/^AI coding tools/, 'Files');
    await page.getByLabel('Name').fill('Cloud bill');
    await page.getByLabel('Location', { exact: true }).fill(`${files.url}/spend.csv`);
    await page.getByLabel('Location of usage').fill(`${files.url}/usage.csv`);
    await page.getByRole('button', { name: 'More settings' }).click();
    await page.getByRole('switch', { name: 'Read it daily' }).click();
    await connect();
    await page
      .getByRole('alert')
      .getByText(/"Cloud bill"/)
      .waitFor();
    await page.getByLabel('Name').fill('Copilot');
    await connect();
    await fact('Usage').getByText(`${files.url}/usage.csv`).waitFor();
    const [bill, tools] = await sources();
    expect(tools).toMatchObject({
      name: 'Copilot',
      kind: 'ai_tools',
      schedule_paused: true,
      currency: null,
      options: { usage_location: `${files.url}/usage.csv` },
    });
    await openSource(page, 'Cloud bill');
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'hidden' });
    expect(await sources()).toHaveLength(2);
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Cloud bill is deleted.').waitFor();
    await table('List of cost sources').getByText('Copilot').waitFor();
    await table('List of cost sources').getByText('Cloud bill').first().waitFor({ state: 'detached' });
    expectError(await admin.get(`/cost-sources/${bill?.id ?? ''}`), 404);
    expect(await costOfJanuary()).toBe(0);
  });

  it('connects a cluster with the exports of its assets, and hosts by their location alone', async () => {
    const connectWith = async (
      place: RegExp,
      way: string | undefined,
      fields: Record<string, string>,
    ): Promise<void> => {
      await openFromMenu(page, 'Sources');
      await openForm(place, way);
      await page.getByRole('button', { name: 'More settings' }).click();
      for (const [label, text] of Object.entries(fields))
        await page.getByLabel(label, { exact: true }).fill(text);
      await connect();
      await page.getByRole('heading', { name: fields['Name'] ?? '', level: 1 }).waitFor();
    };
    await connectWith(/^Kubernetes/, 'Exported files', {
      Name: 'Production',
      Location: `${files.url}/allocations.csv`,
      'Cluster (optional)': 'prod',
      'Location of assets (optional)': `${files.url}/assets.csv`,
    });
    await connectWith(/^Hosts/, undefined, { Name: 'Machines', Location: `${files.url}/hosts.csv` });
    const found = await sources();
    expect(found.find(({ name }) => name === 'Production')).toMatchObject({
      kind: 'opencost',
      options: { cluster: 'prod', assets_location: `${files.url}/assets.csv` },
    });
    expect(found.find(({ name }) => name === 'Machines')).toMatchObject({
      kind: 'hosts',
      location: `${files.url}/hosts.csv`,
      options: {},
    });
  });
});
