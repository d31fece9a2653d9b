import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, signInWith } from '../../support/browser/browser.ts';
import { pathsOfPages } from '../../support/browser/every-page.ts';
import { violationsOf } from '../../support/browser/violations.ts';
import { newOrganisation } from '../../support/service/api-client.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/** Every page follows WCAG 2.2 AA as far as axe-core can tell, in light and dark, in wide and narrow windows. */
describeInBrowser('accessibility of every page', (browser) => {
  let service: SharedService;
  let secret: string;
  let paths: string[];

  beforeAll(async () => {
    service = await sharedService();
    const organisation = await newOrganisation(service, { name: 'Access for all', tier: 'business' });
    ({ secret } = organisation);
    paths = [...(await pathsOfPages(service, organisation.admin)).values()];
  });

  it.each([1280, 360])('has no violation in a window of %i pixels', async (width) => {
    const visit = await browser().visit(service.url, { viewport: { width, height: 800 } });
    const { page } = visit;
    const violations: string[] = [];
    const check = async (path: string): Promise<void> => {
      await page.waitForLoadState('networkidle');
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        for (const violation of await violationsOf(page))
          violations.push(`${path}: ${colorScheme}: ${violation}`);
      }
    };
    await check('/sign-in');
    await signInWith(visit, secret);
    for (const path of paths) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await check(path);
    }
    expect(violations).toEqual([]);
  });
});
