import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, signInWith } from '../../support/browser/browser.ts';
import { violationsOf } from '../../support/browser/violations.ts';
import { newOrganisation } from '../../support/service/api-client.ts';
import { expectData } from '../../support/service/envelope.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/** Every page follows WCAG 2.2 AA as far as axe-core can tell, in light and dark, also before anything was loaded. */
describeInBrowser('accessibility of every page', (browser) => {
  let service: SharedService;
  let secret: string;
  let paths: string[];

  beforeAll(async () => {
    service = await sharedService();
    const organisation = await newOrganisation(service, { name: 'Access for all', tier: 'business' });
    const { admin } = organisation;
    ({ secret } = organisation);
    const metric = expectData(
      await admin.post<{ id: string }>('/metrics', {
        ...{ name: 'Orders', unit: 'order', aggregation: 'total', frequency: 'daily' },
        scope: { type: 'organisation' },
      }),
    );
    expectData(
      await admin.post(`/metrics/${metric.id}/values`, { values: [{ period: '2026-01-31', value: 7 }] }),
    );
    const team = expectData(await admin.post<{ id: string }>('/teams', { name: 'Shop' }));
    const ofMetric = ['months', 'values', 'history', 'import', 'settings'];
    const ofSettings = ['keys', 'webhooks', 'organisation', 'audit-log'];
    paths = [
      ...['/', '/business-metrics', '/business-metrics/new', '/costs', '/sources', '/nothing-is-here'],
      ...ofMetric.map((show) => `/business-metrics/${metric.id}?show=${show}`),
      ...['/teams', '/teams?show=shared-costs', `/teams/${team.id}`, `/teams/${team.id}?show=ownership`],
      ...ofSettings.map((show) => `/settings?show=${show}`),
    ];
  });

  it.each(['light', 'dark'] as const)('has no violation in %s colours', async (colorScheme) => {
    const visit = await browser().visit(service.url, { colorScheme });
    const { page } = visit;
    const violations: string[] = [];
    const check = async (path: string): Promise<void> => {
      await page.waitForLoadState('networkidle');
      for (const violation of await violationsOf(page)) violations.push(`${path}: ${violation}`);
    };
    await check('/sign-in');
    await signInWith(visit, secret);
    for (const path of paths) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await check(path);
    }
    expect(violations).toEqual([]);
    expect(visit.problems).toEqual([]);
    await visit.context.close();
  });
});
