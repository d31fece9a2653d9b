import type { ComponentProps, ReactNode } from 'react';
import { Card } from '../card.tsx';
import { ListTable, type ListTableProps } from './list-table.tsx';

/** A part of a page that shows a list. `above` stands between its heading and the table. */
export const ListCard = <Item,>({
  title,
  actions,
  minHeight,
  above,
  ...list
}: Omit<ComponentProps<typeof Card>, 'children'> &
  ListTableProps<Item> & { above?: ReactNode }): ReactNode => (
  <Card title={title} actions={actions} minHeight={minHeight}>
    {above}
    <ListTable {...list} />
  </Card>
);
