import { Table, type TableProps } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Answer, Empty } from '../states.tsx';
import { DataTable } from './data-table.tsx';
import { ShowMore, type Paged } from './show-more.tsx';
import { TableHead, type Column } from './table-head.tsx';

export interface ListTableProps<Item> extends Omit<TableProps, 'children' | 'title'> {
  /** The list with its pages (`listQuery`). */
  query: Pick<UseQueryResult<readonly Item[]>, 'data' | 'error' | 'refetch'> & Paged;
  /** The height that is kept while the list loads. */
  height?: number;
  /** What to say if nothing is in the list. */
  empty: ReactNode;
  /** What to do if nothing is in the list. */
  emptyAction?: ReactNode;
  label: string;
  minWidth: number;
  columns: readonly Column[];
  /** Draws the row of an item. Its key tells it from the others. */
  children: (item: Item) => ReactNode;
}

/** A list as a table that grows page by page, or what to say if nothing is in it. */
export const ListTable = <Item,>({
  query,
  height,
  empty,
  emptyAction,
  columns,
  children,
  ...table
}: ListTableProps<Item>): ReactNode => (
  <Answer query={query} height={height}>
    {(items) =>
      items.length === 0 ? (
        <Empty action={emptyAction}>{empty}</Empty>
      ) : (
        <>
          <DataTable {...table}>
            <TableHead columns={columns} />
            <Table.Tbody>{items.map(children)}</Table.Tbody>
          </DataTable>
          <ShowMore of={query} />
        </>
      )
    }
  </Answer>
);
