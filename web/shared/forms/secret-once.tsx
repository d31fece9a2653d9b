import { Button, CopyButton, Group, Stack, TextInput, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { sessionQuery } from '../../http/session.ts';

/** A new secret, which nobody can read again. Only its own button leaves it; the browser asks before a reload. */
export function SecretOnce({
  secret,
  children,
  onStored,
}: {
  secret: string;
  /** What the secret is for. */
  children: ReactNode;
  onStored: () => void;
}): ReactNode {
  const queryClient = useQueryClient();
  const field = useRef<HTMLInputElement>(null);
  // The dialog had the form before, so that its own focus has gone with the button of the form.
  useEffect(() => field.current?.focus(), []);
  // Once the session has ended, nothing shows the secret any more, and the sign-in must come.
  useBlocker({ shouldBlockFn: () => queryClient.getQueryData(sessionQuery.queryKey) !== null });
  return (
    <Stack>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          ref={field}
          label="Secret"
          value={secret}
          readOnly
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          flex={1}
          onFocus={({ currentTarget }) => {
            currentTarget.select();
          }}
        />
        <CopyButton value={secret}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <Text size="sm" fw={600}>
        Copy it now. It is never shown again.
      </Text>
      <Text size="sm">{children}</Text>
      <Group justify="flex-end">
        <Button onClick={onStored}>I have stored it</Button>
      </Group>
    </Stack>
  );
}
