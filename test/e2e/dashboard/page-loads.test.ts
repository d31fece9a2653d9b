import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { gzipKilobytes } from '../../../bench/client/gzip-size.ts';
import { describeInBrowser } from '../../support/browser/browser.ts';
import { PAGE_NAMES, pathsOfPages } from '../../support/browser/every-page.ts';
import { WAIT_MS } from '../../support/patience.ts';
import { newOrganisation } from '../../support/service/api-client.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/** Kilobytes of scripts, as gzip, with which the overview may come. */
const MOST_SCRIPTS_KB = 180;

/** What pages ask only once they are drawn: the versions of a bill that exists, and records that are new at each look. */
const ONCE_DRAWN = [/\/bills\/\d{4}-\d{2}\/versions$/, /\/audit-log$/];

/** A page loads what it needs, and asks for its data while its code comes. */
describeInBrowser('the load of a page', (browser) => {
  let service: SharedService;
  let context: BrowserContext;
  let paths: Map<string, string>;

  beforeAll(async () => {
    service = await sharedService();
    const { admin, secret } = await newOrganisation(service, { name: 'Fast shop', tier: 'business' });
    paths = await pathsOfPages(service, admin);
    ({ context } = await browser().signedIn(service.url, secret));
  });

  /** Opens the page of a name, and waits until it shows all that it asks for. Returns its requests. */
  async function openFully(page: Page, name: string): Promise<{ asked: string[]; scripts: string[] }> {
    const asked = questionsOf(page);
    const scripts: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.push(request.url());
    });
    await page.goto(paths.get(name) ?? '');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    return { asked, scripts };
  }

  it.each(PAGE_NAMES)(
    'of %s asks for no answer twice, and for its data before its code is there',
    async (name) => {
      const first = await context.newPage();
      const { asked } = await openFully(first, name);
      await first.close();
      expect(asked).toEqual([...new Set(asked)]);

      const second = await context.newPage();
      const askedAgain = questionsOf(second);
      const codeArrives = await holdCode(second);
      await second.goto(paths.get(name) ?? '', { waitUntil: 'commit' });
      const early = asked.filter((question) => !ONCE_DRAWN.some((late) => late.test(question)));
      await expect.poll(() => askedAgain.toSorted(), { timeout: WAIT_MS }).toEqual(early.toSorted());
      codeArrives();
      await expect.poll(() => askedAgain.toSorted(), { timeout: WAIT_MS }).toEqual(asked.toSorted());
      await second.close();
    },
  );

  it(`of the overview needs at most ${MOST_SCRIPTS_KB} kB of scripts`, async () => {
    const page = await context.newPage();
    const { scripts } = await openFully(page, 'overview');
    await page.close();
    const kilobytes = await gzipKilobytes(scripts);
    expect(kilobytes).toBeGreaterThan(100);
    expect(kilobytes).toBeLessThanOrEqual(MOST_SCRIPTS_KB);
  });
});

/** Collects the questions of a page to the API. */
function questionsOf(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/') && request.method() === 'GET') asked.push(`${pathname}${search}`);
  });
  return asked;
}

/** Keeps the scripts from a page that its HTML does not name, until the returned function is called. */
async function holdCode(page: Page): Promise<() => void> {
  const { promise: arrival, resolve: codeArrives } = withResolvers();
  const html = await (await page.request.get('/', { headers: { accept: 'text/html' } })).text();
  await page.route('**/assets/*.js', async (route) => {
    if (!html.includes(new URL(route.request().url()).pathname)) await arrival;
    await route.continue();
  });
  return codeArrives;
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((resolved) => {
    resolve = resolved;
  });
  return { promise, resolve };
}
