import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { ColumnHead } from './data-table.tsx';

/** The name of a column; `numbers` if it has numbers. A column that is false or null is left out. */
export type Column = string | { numbers: string } | false | null;

/** The headings of a table's columns. */
export const TableHead = ({ columns }: { columns: readonly Column[] }): ReactNode => (
  <Table.Thead>
    <Table.Tr>
      {columns.map((column) =>
        typeof column === 'string' ? (
          <ColumnHead key={column}>{column}</ColumnHead>
        ) : (
          column && (
            <ColumnHead key={column.numbers} numbers>
              {column.numbers}
            </ColumnHead>
          )
        ),
      )}
    </Table.Tr>
  </Table.Thead>
);
