import { Table, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ColumnHead, DataTable } from '../shared/tables/data-table.tsx';
import { ShowMore } from '../shared/tables/show-more.tsx';
import { Answer, Empty } from '../shared/states.tsx';
import { DeliveryRow } from './delivery-row.tsx';
import { deliveriesQuery, type Webhook } from './webhooks-query.ts';

/** What was delivered to a webhook, newest first. It is asked again while a delivery is pending. */
export function Deliveries({ of: { id } }: { of: Webhook }): ReactNode {
  const query = useInfiniteQuery(deliveriesQuery(id));
  return (
    <>
      <Title order={3} size="md" mb="xs">
        Deliveries
      </Title>
      <Answer query={query}>
        {(deliveries) =>
          deliveries.length === 0 ? (
            <Empty>Nothing was sent to this webhook yet. A test event shows whether it works.</Empty>
          ) : (
            <>
              <DataTable label="List of deliveries" minWidth={860}>
                <Table.Thead>
                  <Table.Tr>
                    <ColumnHead>Raised</ColumnHead>
                    <ColumnHead>Event</ColumnHead>
                    <ColumnHead>Status</ColumnHead>
                    <ColumnHead numbers>Attempts</ColumnHead>
                    <ColumnHead>Last response</ColumnHead>
                    <ColumnHead>Next attempt</ColumnHead>
                    <ColumnHead>Details</ColumnHead>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {deliveries.map((delivery) => (
                    <DeliveryRow key={delivery.id} delivery={delivery} />
                  ))}
                </Table.Tbody>
              </DataTable>
              <ShowMore of={query} />
            </>
          )
        }
      </Answer>
    </>
  );
}
