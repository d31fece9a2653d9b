import { Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { Card } from '../shared/card.tsx';
import { ShowMore } from '../shared/tables/show-more.tsx';
import { Answer, Empty } from '../shared/states.tsx';
import { CreateWebhook } from './create-webhook.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookTable } from './webhook-table.tsx';
import { webhooksQuery, type Webhook } from './webhooks-query.ts';

const route = getRouteApi('/signed-in/settings');

/** The receivers of events, and what was delivered to the one that the address names. */
export function Webhooks(): ReactNode {
  const query = useInfiniteQuery(webhooksQuery);
  const { has } = useSession();
  const { webhook: chosen } = route.useSearch();
  const shown = query.data?.find(({ id }) => id === chosen);
  return (
    <Stack>
      <Card title="Webhooks" actions={<CreateWebhook />}>
        <Text size="sm" c="dimmed" mb="sm">
          The service sends an event when a unit cost goes above its target, or rises well above its own
          history.
          {!has('unit_economics') && ' The plan has no metrics, so that only test events are sent.'}
        </Text>
        <Answer query={query}>
          {(webhooks) =>
            webhooks.length === 0 ? (
              <Empty>There is no webhook yet. Create one to receive events at a URL of yours.</Empty>
            ) : (
              <>
                <WebhookTable webhooks={webhooks} chosen={chosen} />
                <ShowMore of={query} />
              </>
            )
          }
        </Answer>
      </Card>
      {shown !== undefined && <OneWebhook key={shown.id} webhook={shown} />}
    </Stack>
  );
}

const OneWebhook = ({ webhook }: { webhook: Webhook }): ReactNode => (
  <Card title={`Webhook to ${new URL(webhook.url).host}`} actions={<WebhookActions of={webhook} />}>
    <Text size="sm" c="dimmed" mb="md" style={{ overflowWrap: 'anywhere' }}>
      {webhook.url}
    </Text>
    <Deliveries of={webhook} />
  </Card>
);
