import { z } from 'zod';
import { changedWebhook, webhookRecord, webhookWithSecret } from '../../api/events/webhook-fields.ts';
import type { ApiClient } from './api-client.ts';
import type { WebhookListener } from './webhook-listener.ts';

const PATH = '/api/v1/webhooks';

/**
 * Makes sure that the organisation has one webhook to the demo's listener, whatever port that has this time, and that
 * the listener can verify what comes; answers its id. A secret is shown once only, and is kept nowhere: each run has
 * it rotated.
 */
export const connectWebhook = async (admin: ApiClient, listener: WebhookListener): Promise<string> => {
  const { hostname, pathname } = new URL(listener.url);
  const known = (await admin.get(`${PATH}?limit=1000`, z.array(webhookRecord))).find(({ url }) => {
    const other = new URL(url);
    return other.hostname === hostname && other.pathname === pathname;
  });
  const changes = { url: listener.url, rotate_secret: true };
  const { id, secret } =
    known === undefined
      ? await admin.post(PATH, webhookWithSecret, { url: listener.url })
      : await admin.patch(`${PATH}/${known.id}`, changedWebhook, changes);
  if (secret !== undefined) listener.verifyWith(secret);
  return id;
};
