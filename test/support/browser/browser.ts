import type { Browser, BrowserContext, Locator, Page, Request } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest';
import { lacking, type Need } from '../needs.ts';
import { WAIT_MS } from '../patience.ts';
import { launchChromium } from '../../../bench/client/chromium.ts';

/** A browser for the tests of one file. */
export interface TestBrowser {
  /** Opens the sign-in of a service as a new visitor. */
  visit: (url: string, options?: Parameters<Browser['newContext']>[0]) => Promise<Visit>;
  /** Opens a service as a new visitor, signs in with a key, and waits for the overview. */
  signedIn: (url: string, key: string, options?: Parameters<Browser['newContext']>[0]) => Promise<Visit>;
}

/** A page of one visitor, with what went wrong in it. */
export interface Visit {
  page: Page;
  context: BrowserContext;
  /** Errors of scripts, and requests that the Content-Security-Policy refused. */
  problems: string[];
  /** The bodies of all answers of the API. */
  answers: { url: string; status: number; text: string }[];
  /** What the page has asked for and has not got yet. */
  waiting: Set<Request>;
}

/** Defines a suite in a real Chromium; see {@link describeInBrowserWith}. */
export function describeInBrowser(name: string, define: (browser: () => TestBrowser) => void): void {
  describeInBrowserWith([], name, define);
}

/**
 * Defines a suite in a real Chromium that needs more. If something is missing, it is skipped, and its title says what. After each
 * test no page may have a problem, and the pages that the test opened are closed.
 */
export function describeInBrowserWith(
  more: readonly Need[],
  name: string,
  define: (browser: () => TestBrowser) => void,
): void {
  const why = lacking('chromium', ...more);
  describe.skipIf(why !== '')(`${name} in Chromium${why}`, () => {
    let browser: Browser | null = null;
    const visits: Visit[] = [];
    /** How many visits began before the test. They stay open for the tests after it. */
    let earlier = 0;
    beforeAll(async () => {
      browser = await launchChromium();
    });
    afterAll(async () => {
      await browser?.close();
    });
    beforeEach(() => {
      earlier = visits.length;
    });
    afterEach(async ({ task }) => {
      if (task.result?.state === 'fail') for (const visit of visits) await describeVisit(visit);
      const problems = visits.flatMap((visit) => visit.problems.splice(0));
      for (const { context } of visits.splice(earlier)) await context.close();
      expect(problems).toEqual([]);
    });
    const testBrowser: TestBrowser = {
      visit: async (url, options = {}) => {
        if (browser === null) throw new Error('the browser has not started');
        const context = await browser.newContext({ baseURL: url, locale: 'en-US', ...options });
        context.setDefaultTimeout(WAIT_MS);
        const page = await context.newPage();
        const visit: Visit = { page, context, problems: [], answers: [], waiting: new Set() };
        page.on('request', (request) => visit.waiting.add(request));
        page.on('requestfinished', (request) => visit.waiting.delete(request));
        page.on('requestfailed', (request) => visit.waiting.delete(request));
        page.on('pageerror', (error) => visit.problems.push(String(error)));
        page.on('console', (message) => {
          // The browser reports each refused request. Tests expect some of them.
          if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
            visit.problems.push(message.text());
        });
        page.on('response', (response) => {
          if (!response.url().includes('/api/v1/')) return;
          response.text().then(
            (text) => visit.answers.push({ url: response.url(), status: response.status(), text }),
            // A page that is left drops its answers.
            () => undefined,
          );
        });
        visits.push(visit);
        await page.goto('/');
        return visit;
      },
      signedIn: async (url, key, options) => {
        const visit = await testBrowser.visit(url, options);
        await signInWith(visit, key);
        return visit;
      },
    };
    define(() => testBrowser);
  });
}

/** Prints what a visitor sees and what the API told the page, so that a failure on another machine explains itself. */
async function describeVisit({ page, answers, waiting, problems }: Visit): Promise<void> {
  if (page.isClosed()) return;
  const seen = [
    page.url(),
    ...answers.slice(-10).map(({ url, status }) => `${String(status)} ${url}`),
    ...[...waiting].map((request) => `no answer yet: ${request.method()} ${request.url()}`),
    ...problems,
    await page.locator('body').ariaSnapshot(),
  ];
  process.stderr.write(`${seen.join('\n')}\n`);
}

/** Signs in with a key, and waits for the overview. */
export async function signInWith({ page }: Visit, key: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

/** Goes to a page of the menu. The page before it stays until the new one has arrived, and may have links of the same name. */
export async function openFromMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name }).click();
  await page.getByRole('heading', { name, level: 1 }).waitFor();
}

/** Waits until the rows of a table, with its head and foot, have these texts, with single blanks between cells. */
export const expectRows = (table: Locator, texts: readonly string[]): Promise<void> =>
  expect
    .poll(
      async () =>
        (await table.getByRole('row').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim()),
      { timeout: WAIT_MS },
    )
    .toEqual(texts);
