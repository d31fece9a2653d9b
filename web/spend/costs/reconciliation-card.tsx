import { Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { MoneyCell } from '../../shared/tables/amount-cells.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import { Card } from '../../shared/card.tsx';
import { DataTable, RowHead } from '../../shared/tables/data-table.tsx';
import { SOURCE_NAMES } from '../source-names.ts';
import type { Breakdown } from './costs-queries.ts';
import { Sentences } from '../../shared/sentences.tsx';
import { TableHead } from '../../shared/tables/table-head.tsx';

type Reconciled = Breakdown['reconciliation'][number];

/** Clusters and hosts next to their bills: what they report, what a bill has of them, and where both differ. */
export function ReconciliationCard({ rows }: { rows: readonly Reconciled[] }): ReactNode {
  const noted = rows.filter(({ notes }) => notes.length > 0);
  return (
    <Card title="Clusters and hosts next to their bills">
      <Dimmed mb="xs">
        If a bill has the machines of a cluster or host, the billed amount counts. Otherwise its own prices
        count. Each dollar counts once.
      </Dimmed>
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
              <RowHead>
                {row.name}{' '}
                <Dimmed span size="xs">
                  {SOURCE_NAMES[row.source]}
                </Dimmed>
              </RowHead>
              <MoneyCell value={row.reported} />
              <MoneyCell value={row.billed} />
              <MoneyCell value={row.outside_bills} />
              <MoneyCell value={row.difference} />
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
              <Sentences words={notes} />
            </div>
          ))}
        </Stack>
      )}
    </Card>
  );
}
