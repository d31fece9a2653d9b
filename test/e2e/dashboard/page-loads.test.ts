import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser } from '../../support/browser/browser.ts';
import { dayLine } from '../../support/exports/focus-export.ts';
import { create, createMetric } from '../../support/service/create.ts';
import { newOrganisation } from '../../support/service/api-client.ts';
import { loadBill } from '../../support/service/load-bill.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

const PAGES = new URL('../../support/browser/pages.json', import.meta.url);

describeInBrowser('the load of a page', (browser) => {
  let service: SharedService;
  let secret: string;
  let paths: string[];
  beforeAll(async () => {
    service = await sharedService();
    const organisation = await newOrganisation(service, { name: 'Loads', tier: 'business' });
    const { admin } = organisation;
    ({ secret } = organisation);
    const source = await loadBill(service, admin, [dayLine('2026-01-31', '25'), dayLine('2026-02-05', '7')]);
    const metric = await createMetric(admin, {}, [{ period: '2026-01-31', value: 7 }]);
    const ids = new Map([
      ['{metric}', metric],
      ['{team}', await create(admin, '/teams', { name: 'Shop' })],
      ['{source}', source],
    ]);
    const pages = Object.values(JSON.parse(await readFile(PAGES, 'utf8')) as Record<string, string>);
    paths = pages.map((path) => path.replace(/\{\w+\}/, (kind) => ids.get(kind) ?? kind));
  });

  it('x', async () => {
    const { context } = await browser().signedIn(service.url, secret);
    for (const path of paths) {
      const page = await context.newPage();
      const asked: string[] = [];
      let release: () => void = () => undefined;
      const released = new Promise<void>((r) => (release = r));
      await page.route(/\/assets\/(?!index-).*\.js$/, async (route) => {
        await released;
        await route.continue();
      });
      page.on('request', (request) => {
        if (request.url().includes('/api/')) asked.push(request.method() + ' ' + request.url().replace(service.url, ''));
      });
      await page.goto(path, { waitUntil: 'commit' });
      await new Promise((r) => setTimeout(r, 2500));
      asked.push('--- code');
      release();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      console.log([path, ...asked].join('\n  '));
      await page.close();
    }
    expect(1).toBe(1);
  }, 200_000);
});
