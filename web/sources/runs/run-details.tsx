import { Alert, List, Stack, Table, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { MoneyCell, QuantityCell } from '../../shared/tables/amount-cells.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import { DataTable, RowHead } from '../../shared/tables/data-table.tsx';
import { sumOf } from '../../shared/sums.ts';
import type { Run } from '../sources-queries.ts';
import { TableHead } from '../../shared/tables/table-head.tsx';

/** What a run left to say: why it failed, its notes, rejected rows, and what it changed in each month. */
export function RunDetails({ run }: { run: Run }): ReactNode {
  const { error, notes, rejected_samples: samples, changes } = run;
  if (error === null && notes.length === 0 && samples.length === 0 && changes.length === 0) {
    return (
      <Dimmed>
        {run.status === 'running'
          ? 'The run is under way. What it changes is shown once it has ended.'
          : 'The run rejected nothing, and changed the cost of no month.'}
      </Dimmed>
    );
  }
  return (
    <Stack gap="md">
      {error !== null && (
        <Alert color="red" title="Why it failed">
          {error}
        </Alert>
      )}
      {notes.length > 0 && (
        <Part title="Notes">
          <List size="sm">
            {notes.map((note) => (
              <List.Item key={note}>{note}</List.Item>
            ))}
          </List>
        </Part>
      )}
      {samples.length > 0 && (
        <Part title="Rejected rows">
          <Samples samples={samples} />
        </Part>
      )}
      {changes.length > 0 && (
        <Part title="What it changed">
          <Changes changes={changes} />
        </Part>
      )}
    </Stack>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <Title order={3} size="sm" id={id} mb={4}>
        {title}
      </Title>
      {children}
    </section>
  );
}

const Samples = ({ samples }: { samples: Run['rejected_samples'] }): ReactNode => (
  <DataTable label="Problems of rejected rows" minWidth={480}>
    <TableHead columns={['Problem', 'File', { numbers: 'Rows' }]} />
    <Table.Tbody>
      {samples.map(({ problem, file, rows }) => (
        <Table.Tr key={`${problem} ${file ?? ''}`}>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{problem}</Table.Td>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{file ?? 'not of one file'}</Table.Td>
          <QuantityCell value={rows} />
        </Table.Tr>
      ))}
    </Table.Tbody>
  </DataTable>
);

const Changes = ({ changes }: { changes: Run['changes'] }): ReactNode => (
  <DataTable label="Cost of each month before and after the run" minWidth={480}>
    <TableHead columns={['Month', { numbers: 'Before' }, { numbers: 'After' }, { numbers: 'Difference' }]} />
    <Table.Tbody>
      {changes.map(({ month, before, after }) => (
        <Table.Tr key={month}>
          <RowHead>{month}</RowHead>
          <MoneyCell value={before} reason="the source had no cost of the month" />
          <MoneyCell value={after} reason="the source has no cost of the month any more" />
          <MoneyCell value={sumOf([after ?? 0, -(before ?? 0)])} />
        </Table.Tr>
      ))}
    </Table.Tbody>
  </DataTable>
);
