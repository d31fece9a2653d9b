import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, openFromMenu } from '../../support/browser/browser.ts';
import { as, newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';

/** An admin changes settings, and others read why they cannot. It is 7 February 2026. */
describeInBrowser('the settings pages', (browser) => {
  let service: SharedService;
  let admin: Api;
  let secret: string;

  beforeAll(async () => {
    service = await sharedService();
    ({ admin, secret } = await newOrganisation(service, { name: 'Settings shop' }));
  });

  it('makes a key that is shown once, and revokes it', async () => {
    const { page } = await browser().signedIn(service.url, secret);
    await openFromMenu(page, 'Settings');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Reporting');
    await dialog.getByLabel('Expires').fill('2026-12-31');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const made = await dialog.getByLabel('Secret').inputValue();
    expect(made).toMatch(/^ca_/);
    const { key } = expectData(
      await as(service, made).get<{ key: { name: string; permission: string; expires_at: string } }>(
        '/auth/info',
      ),
    );
    expect(key).toMatchObject({
      name: 'Reporting',
      permission: 'read',
      expires_at: '2026-12-31T23:59:59.000Z',
    });
    // Nothing but its own button closes it, because the secret cannot be shown again.
    await page.keyboard.press('Escape');
    expect(await dialog.getByLabel('Secret').inputValue()).toBe(made);
    await dialog.getByRole('button').last().click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.content()).not.toContain(made);

    const row = page.getByRole('row', { name: /Reporting/ });
    await row.getByRole('button', { name: /Revoke/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Revoke/ })
      .click();
    await row.getByRole('button', { name: /Revoke/ }).waitFor({ state: 'hidden' });
    expectError(await as(service, made).get('/auth/info'), 401, /revoked/);
  });

  it('changes the name and the settle days of the organisation', async () => {
    const { page } = await browser().signedIn(service.url, secret);
    await page.goto('/settings?show=organisation');
    await page.getByLabel('Name').fill('Settled shop');
    await page.getByLabel('Settle days').fill('9');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('banner').getByText('Settled shop').waitFor();
    expect(expectData(await admin.get('/organisation'))).toMatchObject({
      name: 'Settled shop',
      settle_days: 9,
    });
  });

  it('tells a read key who manages keys', async () => {
    const reader = expectData(
      await admin.post<{ secret: string }>('/keys', { name: 'Reader', permission: 'read' }),
    ).secret;
    const visit = await browser().signedIn(service.url, reader);
    const { page } = visit;
    for (const show of ['keys', 'webhooks', 'audit-log']) {
      await page.goto(`/settings?show=${show}`);
      await page.getByText(/admin/).first().waitFor();
      expect(await page.getByRole('button', { name: /^Create/ }).count()).toBe(0);
    }
    expect(visit.answers.every(({ status }) => status !== 403)).toBe(true);
  });
});
