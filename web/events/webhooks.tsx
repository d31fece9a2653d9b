import { Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { Card } from '../shared/card.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { ListCard } from '../shared/tables/list-card.tsx';
import { CreateWebhook } from './create-webhook.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookRow } from './webhook-row.tsx';
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
      <ListCard
        title="Webhooks"
        actions={<CreateWebhook />}
        above={
          <Dimmed mb="sm">
            The service sends an event when a unit cost goes above its target, or rises well above its own
            history.
            {!has('unit_economics') && ' The plan has no metrics, so that only test events are sent.'}
          </Dimmed>
        }
        query={query}
        empty="There is no webhook yet. Create one to receive events at a URL of yours."
        label="List of webhooks"
        minWidth={820}
        columns={['URL', 'Events', 'State', 'Created', 'Actions']}
      >
        {(webhook) => <WebhookRow key={webhook.id} webhook={webhook} isShown={webhook === shown} />}
      </ListCard>
      {shown !== undefined && <OneWebhook key={shown.id} webhook={shown} />}
    </Stack>
  );
}

const OneWebhook = ({ webhook }: { webhook: Webhook }): ReactNode => (
  <Card title={`Webhook to ${new URL(webhook.url).host}`} actions={<WebhookActions of={webhook} />}>
    <Dimmed mb="md" style={{ overflowWrap: 'anywhere' }}>
      {webhook.url}
    </Dimmed>
    <Deliveries of={webhook} />
  </Card>
);
