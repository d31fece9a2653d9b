import type { Locator, Page } from 'playwright-core';
import type { TestBrowser, Visit } from './browser.ts';

/** The page of a metric, and the row of January 2026 on it. */
export interface MonthRow {
  visit: Visit;
  page: Page;
  row: Locator;
  dialog: Locator;
  /** The doubts about January. */
  doubts: Locator;
  /** Changes that the page has sent, such as `PATCH /api/v1/cost-sources/…`. */
  sent: string[];
  /** The addresses that the browser has loaded since. A page that shows its news by itself loads none. */
  loads: string[];
}

/** Signs in with a key, and opens the page of a metric whose January is open. */
export async function openJanuary(
  browser: TestBrowser,
  { url, key, metric }: { url: string; key: string; metric: string },
): Promise<MonthRow> {
  const visit = await browser.signedIn(url, key);
  const { page } = visit;
  await page.goto(`/business-metrics/${metric}`);
  const row = page.getByRole('table', { name: 'Months' }).getByRole('row', { name: /^2026-01 / });
  await row.getByText('Open', { exact: true }).waitFor();
  const sent: string[] = [];
  const loads: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
    if (request.resourceType() === 'document') loads.push(request.url());
  });
  return {
    visit,
    page,
    row,
    sent,
    loads,
    dialog: page.getByRole('dialog'),
    doubts: row.getByRole('list', { name: 'Doubts about 2026-01' }),
  };
}
