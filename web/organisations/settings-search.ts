import * as z from 'zod/mini';
import { DAY, oneOf, optional } from '../shared/search-fields.ts';
import { AUDIT_ACTIONS } from './audit/audit-actions.ts';

const id = optional(z.string());

/** What the address of the settings holds: the tab, the webhook whose deliveries are shown, and the filters of the audit log. */
export const settingsSearch = z.object({
  show: oneOf(['keys', 'webhooks', 'organisation', 'audit-log']),
  webhook: id,
  actor: id,
  action: optional(z.enum(AUDIT_ACTIONS)),
  target: id,
  start: optional(DAY),
  end: optional(DAY),
});

export type SettingsSearch = z.infer<typeof settingsSearch>;
