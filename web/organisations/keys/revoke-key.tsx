import { List, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf } from '../../http/api.ts';
import { ConfirmButton } from '../../shared/forms/confirm-button.tsx';
import { forgetSession, useSession } from '../../http/session.ts';
import type { Key } from './keys-query.ts';

/** A button that revokes a key, after a question that says what ends. */
export function RevokeKey({ of: { id, name } }: { of: Key }): ReactNode {
  const { key } = useSession();
  const isOwn = key.id === id;
  const queryClient = useQueryClient();
  return (
    <ConfirmButton
      button="Revoke"
      size="compact-xs"
      variant="default"
      aria-label={`Revoke ${name}`}
      title={`Revoke the key “${name}”?`}
      action="Revoke"
      send={(signal) => dataOf(api.DELETE('/api/v1/keys/{id}', { params: { path: { id } }, signal }))}
      changes={isOwn ? [] : ['keys', 'audit-log']}
      done={() => `The key “${name}” is revoked.`}
      onDone={() => {
        if (isOwn) forgetSession(queryClient);
      }}
    >
      <Text size="sm">This ends at once, and cannot be undone:</Text>
      <List size="sm">
        <List.Item>every program that sends this key is refused,</List.Item>
        <List.Item>every browser session of this key ends{isOwn && ', also the one you use now'}.</List.Item>
      </List>
      {isOwn && (
        <Text size="sm" fw={600}>
          Have another admin key at hand to sign in again.
        </Text>
      )}
    </ConfirmButton>
  );
}
