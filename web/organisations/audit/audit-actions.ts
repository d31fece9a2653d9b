import type { paths } from '../../http/generated/api-types.d.ts';

type Query = NonNullable<paths['/api/v1/audit-log']['get']['parameters']['query']>;

export type AuditAction = NonNullable<Query['action']>;

/** The actions with their words for people, as the filter lists them. */
export const ACTION_NAMES: Record<AuditAction, string> = {
  'organisation.create': 'Organisation created',
  'organisation.update': 'Organisation changed',
  'key.create': 'Key created',
  'key.revoke': 'Key revoked',
  signed_in: 'Signed in',
  signed_out: 'Signed out',
  viewed: 'Revenue viewed',
  'values.change': 'Revenue values changed',
  'month.lock': 'Month locked',
  'bills.reseal': 'Bills sealed again',
  'cost_source.unit': 'Unit of a cost source decided',
  'metric.create': 'Metric created',
  'metric.update': 'Metric changed',
  'metric.delete': 'Metric deleted',
  'import.create': 'Import connected',
  'import.update': 'Import changed',
  'import.delete': 'Import disconnected',
  'team.create': 'Team created',
  'team.update': 'Team changed',
  'team.delete': 'Team deleted',
  'shared_cost.create': 'Shared cost created',
  'shared_cost.update': 'Shared cost changed',
  'shared_cost.delete': 'Shared cost deleted',
  'cost_source.create': 'Cost source created',
  'cost_source.update': 'Cost source changed',
  'cost_source.delete': 'Cost source deleted',
  'uploaded_file.create': 'File of a cost source sent',
  'uploaded_file.update': 'File of a cost source sent again',
  'uploaded_file.delete': 'File of a cost source deleted',
  'webhook.create': 'Webhook created',
  'webhook.update': 'Webhook changed',
  'webhook.delete': 'Webhook deleted',
};

export const AUDIT_ACTIONS = Object.keys(ACTION_NAMES) as AuditAction[];
