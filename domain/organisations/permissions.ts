/** The permissions of keys (docs/http.md#manage-keys). */
export const PERMISSIONS = ['read', 'write', 'admin', 'metrics:ingest', 'usage:ingest'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Who may call a route: any key, keys of at least a level, or keys that find a metric and send its values, or send usage. */
export type Access =
  'any' | 'read' | 'write' | 'admin' | 'find_metrics' | 'send_values' | 'send_files' | 'send_usage';

const GRANTED: Record<Access, readonly Permission[]> = {
  any: PERMISSIONS,
  read: ['read', 'write', 'admin'],
  write: ['write', 'admin'],
  admin: ['admin'],
  find_metrics: ['read', 'write', 'admin', 'metrics:ingest'],
  send_values: ['write', 'admin', 'metrics:ingest'],
  send_files: ['admin', 'metrics:ingest'],
  send_usage: ['write', 'admin', 'usage:ingest'],
};

/** Whether a key with this permission may call a route with this access. */
export const permits = (permission: Permission, access: Access): boolean =>
  GRANTED[access].includes(permission);

/** Returns the message for a caller whose key lacks the permission. */
export const permissionMessage = (permission: Permission, access: Access): string =>
  `this needs a key with permission ${GRANTED[access].join(', ')}; this key has ${permission}`;
