import { Badge, Code, List, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { UnitCostChanged } from '../../domain/events/webhook.ts';
import { Missing } from '../shared/amounts.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { NumberCell } from '../shared/tables/data-table.tsx';
import { Instant } from '../shared/instant.tsx';
import { RowWithDetail } from '../shared/tables/row-with-detail.tsx';
import { nextAttemptAt } from './next-attempt.ts';
import type { Delivery } from './webhooks-query.ts';

type Attempt = Delivery['attempts'][number];

const COLORS = { pending: 'yellow', delivered: 'green', failed: 'red' } as const;

/** A delivery with its status and last response; its attempts and payload on demand. */
export function DeliveryRow({ delivery }: { delivery: Delivery }): ReactNode {
  const { status, attempts, created_at, reason } = delivery;
  const last = attempts.at(-1);
  return (
    <RowWithDetail columns={7} detail={<Detail of={delivery} />}>
      <Table.Td>
        <Instant at={created_at} />
      </Table.Td>
      <Table.Td>{wordsOf(delivery)}</Table.Td>
      <Table.Td>
        <Badge color={COLORS[status]}>{status}</Badge>
      </Table.Td>
      <NumberCell>{attempts.length}</NumberCell>
      <Table.Td maw={320}>
        {last === undefined ? (
          <Missing reason="no attempt was made" />
        ) : (
          <Text size="sm" lineClamp={2} title={responseOf(last)}>
            {responseOf(last)}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {status === 'pending' ? (
          <>
            about <Instant at={nextAttemptAt(delivery).toISOString()} />
          </>
        ) : (
          <Missing reason={reason ?? 'the endpoint has received it'} />
        )}
      </Table.Td>
    </RowWithDetail>
  );
}

const Detail = ({ of: { event_id, attempts, reason, payload } }: { of: Delivery }): ReactNode => (
  <Stack gap="xs">
    <Dimmed size="xs">webhook-id {event_id}</Dimmed>
    {reason !== null && <Text size="sm">Failed for good: {reason}.</Text>}
    <Text size="sm" fw={600}>
      Attempts
    </Text>
    {attempts.length === 0 ? (
      <Text size="sm">None was made.</Text>
    ) : (
      <List type="ordered" size="sm">
        {attempts.map((attempt) => (
          <List.Item key={attempt.at}>
            <Instant at={attempt.at} />: {responseOf(attempt)}
            {attempt.answer !== null && attempt.answer !== '' && <Code block>{attempt.answer}</Code>}
          </List.Item>
        ))}
      </List>
    )}
    <Text size="sm" fw={600}>
      Payload
    </Text>
    <Code block>{JSON.stringify(payload, null, 2)}</Code>
  </Stack>
);

const responseOf = ({ status_code, error }: Attempt): string =>
  [status_code === null ? null : `HTTP ${status_code}`, error].filter((part) => part !== null).join(', ');

const REASONS: Record<UnitCostChanged['reason'], string> = {
  above_target: 'above its target',
  daily_rise: 'well above its history',
};

/** What an event says in words. Other types of events show their name. */
function wordsOf({ type, payload }: Delivery): string {
  const data = payload['data'] as Partial<UnitCostChanged> | undefined;
  if (data?.test === true) return 'Test event';
  if (data?.metric_name === undefined || data.reason === undefined) return type;
  return `${data.metric_name}: ${data.period ?? ''} ${REASONS[data.reason]}`;
}
