import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { ColumnHead } from './data-table.tsx';

/** The name of a column; `numbers` if it has numbers, `w` for its width. A column that is false or null is left out. */
export type Column =
  string | { words: string; w: number | string } | { numbers: string; w?: number | string } | false | null;

export const TableHead = ({ columns }: { columns: readonly Column[] }): ReactNode => (
  <Table.Thead>
    <Table.Tr>
      {/* The key is the place, because the label of a metric may have the name of another column. */}
      {columns.map((column, index) =>
        typeof column === 'string' ? (
          <ColumnHead key={index}>{column}</ColumnHead>
        ) : (
          column && (
            <ColumnHead key={index} numbers={'numbers' in column} w={column.w}>
              {'numbers' in column ? column.numbers : column.words}
            </ColumnHead>
          )
        ),
      )}
    </Table.Tr>
  </Table.Thead>
);
