/** What a key may carry (spec §5 rule 3). */
export const PERMISSIONS = ['read', 'write', 'admin', 'metrics:ingest'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Who may call a route: any key at all, a level and those above it, or those who may send values (contract §2). */
export type Access = 'any' | 'read' | 'write' | 'admin' | 'send_values';

const GRANTED: Record<Access, readonly Permission[]> = {
  any: PERMISSIONS,
  read: ['read', 'write', 'admin'],
  write: ['write', 'admin'],
  admin: ['admin'],
  send_values: ['write', 'admin', 'metrics:ingest'],
};

/** Whether a key with this permission may call a route with this access. */
export const permits = (permission: Permission, access: Access): boolean =>
  GRANTED[access].includes(permission);

/** What a caller whose key lacks the permission is told. */
export const permissionMessage = (permission: Permission, access: Access): string =>
  `this needs a key with permission ${GRANTED[access].join(', ')}; this key has ${permission}`;
