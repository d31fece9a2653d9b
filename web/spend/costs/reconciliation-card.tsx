import { List, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Money } from '../../shared/amounts.tsx';
import { Card } from '../../shared/card.tsx';
import { DataTable, NumberCell } from '../../shared/tables/data-table.tsx';
import { sentence } from '../../shared/words.ts';
import { SOURCE_NAMES } from '../source-names.ts';
import type { Breakdown } from './costs-queries.ts';
import { TableHead } from '../../shared/tables/table-head.tsx';

type Reconciled = Breakdown['reconciliation'][number];

/** Clusters and hosts next to their bills: what they report, what a bill has of them, and where both differ. */
export function ReconciliationCard({ rows }: { rows: readonly Reconciled[] }): ReactNode {
  const noted = rows.filter(({ notes }) => notes.length > 0);
  return (
    <Card title="Clusters and hosts next to their bills">
      <Text size="sm" c="dimmed" mb="xs">
        If a bill has the machines of a cluster or host, the billed amount counts. Otherwise its own prices
        count. Each dollar counts once.
      </Text>
      <DataTable label="Reported and billed amounts" minWidth={680}>
        <TableHead
          columns={[
            'Cluster or host',
            { numbers: 'Reported' },
            { numbers: 'Billed' },
            { numbers: 'Outside bills' },
            { numbers: 'Difference' },
          ]}
        />
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.source} ${row.name}`}>
              <Table.Th scope="row" fw="normal">
                {row.name}{' '}
                <Text span size="xs" c="dimmed">
                  {SOURCE_NAMES[row.source]}
                </Text>
              </Table.Th>
              <NumberCell>
                <Money value={row.reported} />
              </NumberCell>
              <NumberCell>
                <Money value={row.billed} />
              </NumberCell>
              <NumberCell>
                <Money value={row.outside_bills} />
              </NumberCell>
              <NumberCell>
                <Money value={row.difference} />
              </NumberCell>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </DataTable>
      {noted.length > 0 && (
        <Stack gap="xs" mt="sm">
          {noted.map(({ source, name, notes }) => (
            <div key={`${source} ${name}`}>
              <Text size="sm" fw={600}>
                {name}
              </Text>
              <List size="sm">
                {notes.map((note) => (
                  <List.Item key={note}>{sentence(note)}</List.Item>
                ))}
              </List>
            </div>
          ))}
        </Stack>
      )}
    </Card>
  );
}
