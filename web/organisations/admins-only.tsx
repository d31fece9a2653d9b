import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';

/** Shows to admins what only they may see, and to others who may. */
export function AdminsOnly({ what, children }: { what: string; children: ReactNode }): ReactNode {
  const { key, may } = useSession();
  return may('admin') ? (
    children
  ) : (
    <Alert color="gray" title="Only admins see this">
      {what} need a key with permission admin. The key &ldquo;{key.name}&rdquo; of this session has{' '}
      {key.permission}. An admin can create a key with more permission.
    </Alert>
  );
}
