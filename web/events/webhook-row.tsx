import { Badge, Button, Group, Table, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { Instant } from '../shared/instant.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { useChange } from '../shared/forms/use-change.ts';
import type { Webhook } from './webhooks-query.ts';

const route = getRouteApi('/signed-in/settings');

/** A webhook, with a test. `isShown` if it stands below with its deliveries. */
export function WebhookRow({ webhook, isShown }: { webhook: Webhook; isShown: boolean }): ReactNode {
  const { id, url, events, enabled, disabled_reason, problem, created_at } = webhook;
  const navigate = route.useNavigate();
  const show = (shown: string | undefined): void => {
    void navigate({ search: (before) => ({ ...before, webhook: shown }), replace: true });
  };
  const test = useChange({
    send: () => dataOf(api.POST('/api/v1/webhooks/{id}/test', { params: { path: { id } } })),
    changes: ['deliveries'],
    done: () => 'A test event is on its way.',
    onDone: () => {
      show(id);
    },
  });
  return (
    <Table.Tr>
      <Table.Th scope="row" fw="normal" maw={360}>
        <Text size="sm" truncate title={url}>
          {url}
        </Text>
      </Table.Th>
      <Table.Td>{events.join(', ')}</Table.Td>
      <Table.Td>
        <Badge color={enabled ? 'green' : 'gray'}>{enabled ? 'enabled' : 'disabled'}</Badge>
        {disabled_reason !== null && (
          <Dimmed size="xs" maw={240}>
            {disabled_reason}
          </Dimmed>
        )}
        {problem !== null && (
          <Text size="xs" c="var(--mantine-color-error)" maw={240}>
            {problem}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Instant at={created_at} />
      </Table.Td>
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          <Button
            size="compact-xs"
            variant="default"
            disabled={!enabled}
            loading={test.isPending}
            aria-label={`Send test to ${url}`}
            onClick={() => {
              test.mutate(undefined);
            }}
          >
            Send test
          </Button>
          <Button
            size="compact-xs"
            variant={isShown ? 'light' : 'default'}
            aria-expanded={isShown}
            aria-label={`Manage ${url}`}
            onClick={() => {
              show(isShown ? undefined : id);
            }}
          >
            Manage
          </Button>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}
