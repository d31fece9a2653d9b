import { Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ListTable } from '../shared/tables/list-table.tsx';
import { DeliveryRow } from './delivery-row.tsx';
import { deliveriesQuery, type Webhook } from './webhooks-query.ts';

/** What was delivered to a webhook, newest first. It is asked again while a delivery is pending. */
export const Deliveries = ({ of: { id } }: { of: Webhook }): ReactNode => (
  <>
    <Title order={3} size="md" mb="xs">
      Deliveries
    </Title>
    <ListTable
      query={useInfiniteQuery(deliveriesQuery(id))}
      empty="Nothing was sent to this webhook yet. A test event shows whether it works."
      label="List of deliveries"
      minWidth={860}
      columns={[
        'Raised',
        'Event',
        'Status',
        { numbers: 'Attempts' },
        'Last response',
        'Next attempt',
        'Details',
      ]}
    >
      {(delivery) => <DeliveryRow key={delivery.id} delivery={delivery} />}
    </ListTable>
  </>
);
