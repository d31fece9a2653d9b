import { expect, it } from 'vitest';
import {
  permissionMessage,
  PERMISSIONS,
  permits,
  type Access,
} from '../../../domain/organisations/permissions.ts';

// Rows are the accesses of the contract's table of routes, columns the permissions of a key.
const MATRIX: Record<Access, Record<(typeof PERMISSIONS)[number], boolean>> = {
  any: { read: true, write: true, admin: true, 'metrics:ingest': true, 'usage:ingest': true },
  read: { read: true, write: true, admin: true, 'metrics:ingest': false, 'usage:ingest': false },
  write: { read: false, write: true, admin: true, 'metrics:ingest': false, 'usage:ingest': false },
  admin: { read: false, write: false, admin: true, 'metrics:ingest': false, 'usage:ingest': false },
  find_metrics: { read: true, write: true, admin: true, 'metrics:ingest': true, 'usage:ingest': false },
  send_values: { read: false, write: true, admin: true, 'metrics:ingest': true, 'usage:ingest': false },
  send_files: { read: false, write: false, admin: true, 'metrics:ingest': true, 'usage:ingest': false },
  send_usage: { read: false, write: true, admin: true, 'metrics:ingest': false, 'usage:ingest': true },
};

it('there are five permissions', () => {
  expect(PERMISSIONS).toEqual(['read', 'write', 'admin', 'metrics:ingest', 'usage:ingest']);
});

it.each(
  Object.entries(MATRIX).flatMap(([access, row]) =>
    PERMISSIONS.map((permission) => [permission, access as Access, row[permission]] as const),
  ),
)('%s may call a route for %s: %s', (permission, access, allowed) => {
  expect(permits(permission, access)).toBe(allowed);
});

it('an error names the accepted permissions and the permission of the key', () => {
  expect(permissionMessage('read', 'send_values')).toBe(
    'this needs a key with permission write, admin, metrics:ingest; this key has read',
  );
  expect(permissionMessage('metrics:ingest', 'admin')).toBe(
    'this needs a key with permission admin; this key has metrics:ingest',
  );
});
