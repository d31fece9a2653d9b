import { Group, SimpleGrid, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { SPEND_SOURCES } from '../../../domain/sources/spend-sources.ts';
import { useSession } from '../../http/session.ts';
import { Money } from '../../shared/amounts.tsx';
import { MoneyCell } from '../../shared/tables/amount-cells.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import { monthOf } from '../../shared/calendar.ts';
import { Card } from '../../shared/card.tsx';
import { DataTable, RowHead } from '../../shared/tables/data-table.tsx';
import { SOURCE_NAMES } from '../../spend/source-names.ts';
import type { Bill } from '../team-queries.ts';
import { BillStatus, missingReason } from './bill-status.tsx';
import { Reseal } from './reseal.tsx';
import { sentence, Sentences } from '../../shared/sentences.tsx';
import { TableHead } from '../../shared/tables/table-head.tsx';

/** A team's bill of a month: its amounts in detail, its status, and what to know about it. */
export function BillDetail({ bill }: { bill: Bill }): ReactNode {
  const { today, may } = useSession();
  const isPast = bill.month < monthOf(today);
  return (
    <Card
      title={`Bill of ${bill.month}`}
      minHeight={320}
      actions={isPast && may('admin') ? <Reseal month={bill.month} /> : undefined}
    >
      <Stack>
        <Group gap="sm">
          <Text fz="h1" fw={600}>
            <Money value={bill.fully_loaded} reason={missingReason(bill)} />
          </Text>
          <BillStatus status={bill.status} />
          {bill.version !== null && <Text size="sm">Version {bill.version}</Text>}
        </Group>
        <Points title="It waits for:" words={bill.waiting_for} />
        <Points title="What to know:" words={notesOf(bill)} />
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Direct bill={bill} />
          <Shared bill={bill} />
        </SimpleGrid>
      </Stack>
    </Card>
  );
}

function followsToday({ settled_before_teams, backfilled }: Bill): string {
  const until =
    settled_before_teams || backfilled
      ? 'until an admin seals it'
      : 'until the next month settles or an admin seals it, because a source was connected late';
  return `The month follows today ${until}: its bills seal again if spend, teams or shared costs change.`;
}

const notesOf = (bill: Bill): string[] => [
  ...(bill.settled_before_teams ? ['The month settled while there was no team.'] : []),
  ...(bill.backfilled ? ['The spend of the month was complete late.'] : []),
  ...(bill.follows_today ? [followsToday(bill)] : []),
  ...bill.uncollected.map((words) => `The bill misses spend. ${sentence(words)}`),
];

const Points = ({ title, words }: { title: string; words: readonly string[] }): ReactNode =>
  words.length > 0 && (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Sentences listStyleType="none" withPadding={false} words={words} />
    </div>
  );

const Direct = ({ bill }: { bill: Bill }): ReactNode => (
  <Parts
    label="Direct"
    about="What the team owns, by source"
    total={bill.direct}
    reason={missingReason(bill)}
    parts={SPEND_SOURCES.map((source) => ({
      id: source,
      name: SOURCE_NAMES[source],
      amount: bill.by_source?.[source] ?? null,
    }))}
  />
);

const Shared = ({ bill }: { bill: Bill }): ReactNode => (
  <Parts
    label="Shared"
    about="Its parts of shared costs"
    total={bill.shared}
    reason={missingReason(bill)}
    parts={bill.shared_costs}
  />
);

const Parts = ({
  label,
  about,
  total,
  reason,
  parts,
}: {
  label: string;
  about: string;
  total: number | null;
  reason: string;
  parts: readonly { id: string; name: string; amount: number | null }[];
}): ReactNode => (
  <DataTable label={`${label}: ${about}`} minWidth={240}>
    <TableHead columns={[about, { numbers: 'Amount' }]} />
    <Table.Tbody>
      {parts.map(({ id, name, amount }) => (
        <Table.Tr key={id}>
          <RowHead>{name}</RowHead>
          <MoneyCell value={amount} reason={reason} />
        </Table.Tr>
      ))}
      {parts.length === 0 && (
        <Table.Tr>
          <Table.Td colSpan={2}>
            <Dimmed>No shared cost has a part for this team.</Dimmed>
          </Table.Td>
        </Table.Tr>
      )}
    </Table.Tbody>
    <Table.Tfoot>
      <Table.Tr fw={600} style={{ borderTop: '1px solid var(--table-border-color)' }}>
        <Table.Th scope="row">{label}</Table.Th>
        <MoneyCell value={total} reason={reason} />
      </Table.Tr>
    </Table.Tfoot>
  </DataTable>
);
