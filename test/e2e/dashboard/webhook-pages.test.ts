import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInBrowser, expectRows, openFromMenu } from '../../support/browser/browser.ts';
import { newReceiver } from '../../support/fakes/webhook-receiver.ts';
import { newOrganisation, type Api } from '../../support/service/api-client.ts';
import { expectData, expectPage } from '../../support/service/envelope.ts';
import { sharedService, type SharedService } from '../../support/service/shared-service.ts';
import { withOpened } from '../../support/with-opened.ts';

/** A webhook from its creation to its end, and the audit log of it. It is 7 February 2026. Each test continues the story. */
describeInBrowser('the pages of webhooks and of the audit log', (browser) => {
  let service: SharedService;
  let admin: Api;
  let page: Page;
  const receiver = withOpened(newReceiver);
  let secret: string;

  const dialog = (): Locator => page.getByRole('dialog');
  const deliveries = (): Locator => page.getByRole('table', { name: 'List of deliveries' });
  const records = (): Locator => page.getByRole('table', { name: 'Records of the audit log' });
  const click = (name: string | RegExp, within: Page | Locator = page): Promise<void> =>
    within.getByRole('button', { name, exact: typeof name === 'string' }).click();
  const webhooks = async (): Promise<{ id: string; url: string; enabled: boolean }[]> =>
    expectPage(await admin.get<{ id: string; url: string; enabled: boolean }[]>('/webhooks')).items;
  const openTab = async (name: string): Promise<void> => {
    await openFromMenu(page, 'Settings');
    await page.getByRole('tab', { name }).click();
  };
  /** Returns the secret that a dialog shows once, and closes the dialog. */
  const secretOnce = async (): Promise<string> => {
    // A dialog before it may still be closing.
    const once = dialog().filter({ has: page.getByLabel('Secret') });
    const shown = await once.getByLabel('Secret').inputValue();
    await page.keyboard.press('Escape');
    expect(await once.getByLabel('Secret').inputValue()).toBe(shown);
    await click('I have stored it', once);
    await once.waitFor({ state: 'hidden' });
    expect(await page.content()).not.toContain(shown);
    return shown;
  };

  beforeAll(async () => {
    service = await sharedService();
    const organisation = await newOrganisation(service, { name: 'Hook shop', tier: 'business' });
    ({ admin } = organisation);
    ({ page } = await browser().signedIn(service.url, organisation.secret));
  });

  it('creates a webhook after the form has shown why another URL is refused', async () => {
    await openTab('Webhooks');
    await page.getByText('There is no webhook yet.').waitFor();
    await click('Create webhook');
    await dialog().getByLabel('URL').fill('http://10.0.0.1/hook');
    await click('Create webhook', dialog());
    await dialog()
      .getByRole('alert')
      .getByText(/PRIVATE_TARGETS/)
      .waitFor();
    expect(await webhooks()).toEqual([]);
    await dialog().getByLabel('URL').fill(receiver.url);
    await click('Create webhook', dialog());
    secret = await secretOnce();
    expect(secret).toMatch(/^whsec_/);
    expect(await webhooks()).toMatchObject([{ url: receiver.url, enabled: true }]);
  });

  it('sends a test and shows its delivery with the answer and the payload', async () => {
    await click(`Send test to ${receiver.url}`);
    await deliveries().getByText('delivered', { exact: true }).waitFor();
    const [received] = receiver.received;
    expect(received?.body).toContain('"type":"unit_cost.changed"');
    await expectRows(deliveries(), [
      'Raised Event Status Attempts Last response Next attempt Details',
      expect.stringMatching(/Test event delivered 1 HTTP 200/) as string,
    ]);
    await click('Detail', deliveries());
    await deliveries()
      .getByText(`webhook-id ${String(received?.headers['webhook-id'])}`)
      .waitFor();
    await deliveries().getByText('thank you').waitFor();
    await deliveries().getByText('"test": true').waitFor();
    receiver.answer((response) => response.writeHead(500).end('the till is closed'));
    await click(`Send test to ${receiver.url}`);
    const failing = deliveries().getByRole('row').filter({ hasText: 'HTTP 500' });
    await failing.getByText('pending', { exact: true }).waitFor();
  });

  it('changes the URL, disables, enables and rotates, and deletes after it has asked', async () => {
    await click('Change URL');
    await dialog().getByLabel('URL').fill('ftp://127.0.0.1/hook');
    await click('Save', dialog());
    await dialog()
      .getByRole('alert')
      .getByText(/^url: /)
      .waitFor();
    await dialog().getByLabel('URL').fill(`${receiver.url}&second`);
    await click('Save', dialog());
    await page.getByText('The webhook has a new URL.').waitFor();
    expect(await webhooks()).toMatchObject([{ url: `${receiver.url}&second`, enabled: true }]);
    await click('Disable');
    await click('Disable', dialog());
    await page.getByText('The webhook is disabled.').waitFor();
    await page.getByRole('button', { name: /^Send test to/, disabled: true }).waitFor();
    expect(await webhooks()).toMatchObject([{ enabled: false }]);
    await click('Enable');
    await page.getByText('The webhook is enabled.').waitFor();
    expect(await webhooks()).toMatchObject([{ enabled: true }]);
    receiver.answer((response) => response.writeHead(410).end());
    await click(/^Send test to/);
    await deliveries().getByRole('row').filter({ hasText: 'HTTP 410' }).getByText('failed').waitFor();
    await page.reload();
    await page
      .getByText(/the endpoint answered 410 Gone/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: /^Send test to/, disabled: true }).waitFor();
    await click('Enable');
    await page.getByText('The webhook is enabled.').waitFor();
    expect(await webhooks()).toMatchObject([{ enabled: true, disabled_reason: null }]);
    await click('Rotate secret');
    await click('Rotate', dialog());
    expect(await secretOnce()).not.toBe(secret);
    await page.reload();
    await deliveries().waitFor();
    await click('Delete');
    await click('Cancel', dialog());
    await dialog().waitFor({ state: 'hidden' });
    expect(await webhooks()).toHaveLength(1);
    await click('Delete');
    await click('Delete', dialog());
    await page.getByText('There is no webhook yet.').waitFor();
    expect(await webhooks()).toEqual([]);
  });

  it('finds records of the audit log by filters, which the address keeps', async () => {
    await openTab('Audit log');
    await records()
      .getByText(/^Deleted the webhook to /)
      .waitFor();
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'Webhook created' }).click();
    const created = records().getByRole('row').filter({ hasText: 'Created the webhook to' });
    await records()
      .getByText(/^Deleted the webhook to /)
      .waitFor({ state: 'hidden' });
    await created.getByText('in a browser session').waitFor();
    await page.reload();
    await created.waitFor();
    expect(page.url()).toContain('action=webhook.create');
    await created.getByRole('button', { name: 'Detail' }).click();
    await records()
      .getByText(/"through": "session"/)
      .waitFor();
    await click(/^Only what was done to /, created);
    // The chosen action is chosen again, which clears it.
    await page.getByRole('combobox', { name: 'Action' }).click();
    await page.getByRole('option', { name: 'Webhook created' }).click();
    // Created, its URL changed, disabled, enabled, disabled by its endpoint, enabled, rotated, deleted.
    const details = records().getByRole('button', { name: 'Detail' });
    await details.nth(7).waitFor();
    expect(await details.count()).toBe(8);
    await page.getByLabel('From').fill('2026-02-08');
    await page.getByText('No record is within these filters.').waitFor();
    await click('Clear filters');
    await page.getByRole('combobox', { name: 'Actor' }).click();
    await page.getByRole('option', { name: 'The operator' }).click();
    await records().getByText('Created the organisation').waitFor();
    await records().getByText('Signed in').waitFor({ state: 'hidden' });
  });

  it('shows what others did meanwhile when somebody comes back to the audit log', async () => {
    await click('Clear filters');
    await records().getByText('Signed in').waitFor();
    await openFromMenu(page, 'Overview');
    expectData(await admin.post('/teams', { name: 'Meanwhile' }));
    await openTab('Audit log');
    await records()
      .getByText(/^Created the team Meanwhile/)
      .waitFor();
  });
});
