import { beforeAll, expect, it } from 'vitest';
import { addDays } from '../../../domain/shared/calendar.ts';
import { describeInBrowser } from '../../support/browser/browser.ts';
import { openJanuary } from '../../support/browser/month-row.ts';
import { dayLine, focusCsv } from '../../support/exports/focus-export.ts';
import { exportsIn } from '../../support/exports/write-export.ts';
import { startFakeBigQuery } from '../../support/fakes/bigquery/fake-bigquery.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { createMetric } from '../../support/service/create.ts';
import { newIngestedSource, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { importEnd, importNow, put } from '../../support/service/imports.ts';
import { withService } from '../../support/service/with-service.ts';
import { withOpened } from '../../support/with-opened.ts';

const QUERY = 'SELECT day, n AS value FROM shop.orders WHERE day BETWEEN @start AND @end';
const DAYS = Array.from({ length: 31 }, (_, day) => addDays('2026-01-01', day));
const DENIED = { status: 403, reason: 'accessDenied', message: 'Access Denied: the role was taken away' };

/**
 * Months that an import has not read to their end, and the buttons that read them. It is 7 February 2026. January costs
 * 31 × 10 = 310 USD, and the query returns 31 × 50 = 1,550 orders: 310 / 1,550 = 0.20 an order.
 */
describeInBrowser('the doubt about a month that an import has not read', (browser) => {
  const bigQuery = withOpened(startFakeBigQuery);
  let admin: Api;
  let secret: string;

  const service = withService(() => {
    bigQuery.project.queries.set(QUERY, {
      columns: [
        { name: 'day', type: 'DATE' },
        { name: 'value', type: 'NUMERIC' },
      ],
      rows: (start, end) => DAYS.filter((day) => day >= start && day <= end).map((day) => [day, '50']),
    });
    return { CLOCK: '2026-02-07T06:00:00Z', BIGQUERY_API_ENDPOINT: bigQuery.url };
  });

  beforeAll(async () => {
    ({ admin, secret } = await newOrganisation(service, { name: 'Import shop' }));
    const bill = focusCsv([...DAYS, '2026-02-05'].map((day) => dayLine(day, '10')));
    const location = await exportsIn(service.dataDir)('bill.csv', bill);
    await newIngestedSource(admin, { name: 'AWS', kind: 'focus', location });
  });

  /** Connects a metric to BigQuery. Its first run fails. */
  const connect = async (name: string) => {
    const id = await createMetric(admin, { name });
    bigQuery.instead = ({ kind }) => (kind === 'insert' ? DENIED : undefined);
    const { key: credentials } = bigQuery.account;
    const connection = { type: 'bigquery', project_id: bigQuery.project.id, query: QUERY, credentials };
    expectData(await put(admin, `/metrics/${id}/import`, connection));
    expect((await importEnd(admin, id)).last_run).toMatchObject({ status: 'failed' });
    return id;
  };

  /** Lets a run read February, which says nothing of January. */
  const readFebruary = async (id: string) => {
    bigQuery.instead = null;
    const { last_run } = await importNow(admin, id, { start_month: '2026-02' });
    expect(last_run).toMatchObject({ status: 'completed', start_day: '2026-02-01' });
  };

  const open = async (metric: string) => {
    const page = await openJanuary(browser(), { url: service.url, key: secret, metric });
    const january = async () =>
      expectData(
        await admin.get<{ month: string; status: string; missing: { code: string }[] }[]>(
          `/metrics/${metric}/months`,
        ),
      ).find(({ month }) => month === '2026-01');
    /** Waits until January is ready on the page, without a reload. */
    const done = async () => {
      await page.row.getByText('Ready to lock').waitFor();
      await page.doubts.waitFor({ state: 'detached' });
      expect(await page.row.innerText()).toMatch(/\$310\.00\s+1,550\s+\$0\.200/);
      expect(await january()).toMatchObject({ status: 'ready_to_lock', unit_cost: 0.2, missing: [] });
      expect(page.loads).toEqual([]);
    };
    return { ...page, january, done };
  };

  it('stays with the reason while runs fail, and ends once the metric is connected again', async () => {
    const { page, row, doubts, dialog, january, done } = await open(await connect('Orders'));
    await doubts.getByText(/has not read 2026-01 to its end: its last run, on 2026-02-07, failed/).waitFor();
    expect(await doubts.getByRole('button').allInnerTexts()).toEqual(['Open the import', 'Run the import']);
    await row.getByRole('button', { name: 'Run the import (2026-01)' }).click();
    await row.getByRole('alert').getByText('the role was taken away').waitFor();
    expect(await january()).toMatchObject({ status: 'open', missing: [{ code: 'import_behind' }] });

    bigQuery.instead = null;
    await row.getByRole('button', { name: 'Open the import (2026-01)' }).click();
    await page.getByRole('button', { name: 'Replace the connection' }).click();
    await dialog.getByLabel('Service account key').fill(JSON.stringify(bigQuery.account.key));
    await dialog.getByRole('button', { name: 'Replace' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByText('Last run completed').waitFor();
    await page.getByRole('tab', { name: 'Months' }).click();
    await done();
  });

  it('stays if the service cannot be reached, and needs one run, although the button is clicked twice', async () => {
    const metric = await connect('Checkouts');
    await readFebruary(metric);
    const { page, row, doubts, sent, january, done } = await open(metric);
    await doubts.getByText(/its runs have read later months only/).waitFor();
    expect(await doubts.getByRole('button').allInnerTexts()).toEqual(['Run the import']);
    const run = row.getByRole('button', { name: 'Run the import (2026-01)' });
    await page.route('**/import/run', (route) => route.abort());
    await run.click();
    await page.getByText('The service cannot be reached.').waitFor();
    expect(await january()).toMatchObject({ status: 'open', missing: [{ code: 'import_behind' }] });
    await page.unroute('**/import/run');
    sent.length = 0;
    await run.dblclick();
    await done();
    expect(sent).toEqual([`POST /api/v1/metrics/${metric}/import/run`]);
  });

  it('ends with the run that somebody else has started', async () => {
    const metric = await connect('Visits');
    await readFebruary(metric);
    const { page, row, doubts, done } = await open(metric);
    await doubts.getByText(/its runs have read later months only/).waitFor();
    // The query goes on until it is released.
    bigQuery.project.polls = 1_000_000;
    expectData(await admin.post(`/metrics/${metric}/import/run`, { start_month: '2026-01' }));
    const run = row.getByRole('button', { name: 'Run the import (2026-01)' });
    await run.click();
    await page.getByText('an import of this metric is running').waitFor();
    // The page follows that run.
    await expect.poll(() => run.isDisabled(), { timeout: WAIT_MS }).toBe(true);
    bigQuery.project.release();
    await done();
  });
});
