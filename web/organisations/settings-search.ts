import * as z from 'zod/mini';
import { AUDIT_ACTIONS } from './audit/audit-actions.ts';

const day = z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/));
const id = z.catch(z.optional(z.string()), undefined);

/** What the address of the settings holds: the tab, the webhook whose deliveries are shown, and the filters of the audit log. */
export const settingsSearch = z.object({
  show: z._default(z.catch(z.enum(['keys', 'webhooks', 'organisation', 'audit-log']), 'keys'), 'keys'),
  webhook: id,
  actor: id,
  action: z.catch(z.optional(z.enum(AUDIT_ACTIONS)), undefined),
  target: id,
  start: z.catch(z.optional(day), undefined),
  end: z.catch(z.optional(day), undefined),
});

export type SettingsSearch = z.infer<typeof settingsSearch>;
