import { Table, type TableProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** A table that scrolls sideways on a narrow screen, also by keyboard. */
export const DataTable = ({
  label,
  minWidth = 560,
  isLong = false,
  children,
  ...props
}: TableProps & {
  label: string;
  minWidth?: number;
  /** Whether only rows near the window are drawn (LongBody). Each then keeps to one line. */
  isLong?: boolean;
  children: ReactNode;
}): ReactNode => (
  <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0} role="group" aria-label={label}>
    <Table
      aria-label={label}
      verticalSpacing="xs"
      layout={isLong ? 'fixed' : 'auto'}
      data-long={isLong || undefined}
      {...props}
    >
      {children}
    </Table>
  </Table.ScrollContainer>
);

/** A cell of numbers, aligned at the right so that digits stand below each other. */
export const NumberCell = ({ children }: { children: ReactNode }): ReactNode => (
  <Table.Td ta="right">{children}</Table.Td>
);

/** The heading of a row, as light as its cells. */
export const RowHead = ({ children }: { children: ReactNode }): ReactNode => (
  <Table.Th scope="row" fw="normal">
    {children}
  </Table.Th>
);

export const ColumnHead = ({
  children,
  numbers = false,
  w,
}: {
  children: ReactNode;
  numbers?: boolean;
  /** Its width. */
  w?: number | string;
}): ReactNode => (
  <Table.Th scope="col" ta={numbers ? 'right' : 'left'} w={w}>
    {children}
  </Table.Th>
);
