import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageLink } from '../../shared/page-link.tsx';
import { Money } from '../../shared/amounts.tsx';
import type { Month } from '../../shared/calendar.ts';
import { ColumnHead, NumberCell } from '../../shared/tables/data-table.tsx';
import type { Bill } from '../team-queries.ts';
import { BillStatus, missingReason, WaitsFor } from './bill-status.tsx';

/** The headings of {@link BillCells}. */
export const BillHeads = (): ReactNode => (
  <>
    <ColumnHead numbers w={130}>
      Direct
    </ColumnHead>
    <ColumnHead numbers w={130}>
      Shared
    </ColumnHead>
    <ColumnHead numbers w={130}>
      Fully loaded
    </ColumnHead>
    <ColumnHead w={120}>Status</ColumnHead>
    <ColumnHead>Waits for</ColumnHead>
  </>
);

/** A bill in the cells of a row: its amounts, its status, and what it waits for. */
export const BillCells = ({
  bill,
  isOneLine = false,
}: {
  bill: Bill;
  /** Whether its words must keep to one line. */
  isOneLine?: boolean;
}): ReactNode => (
  <>
    <AmountCells amounts={bill} reason={missingReason(bill)} />
    <Table.Td>
      <BillStatus status={bill.status} />
    </Table.Td>
    <Table.Td miw={220}>
      <WaitsFor bill={bill} isOneLine={isOneLine} />
    </Table.Td>
  </>
);

/** The amounts of a bill, or the sums of bills, in three cells. */
export const AmountCells = ({
  amounts: { direct, shared, fully_loaded },
  reason,
}: {
  amounts: Pick<Bill, 'direct' | 'shared' | 'fully_loaded'>;
  reason: string;
}): ReactNode =>
  Object.entries({ direct, shared, fully_loaded }).map(([name, value]) => (
    <NumberCell key={name}>
      <Money value={value} reason={reason} />
    </NumberCell>
  ));

/** A link to a team's bill of a month. */
export const BillLink = ({
  teamId,
  month,
  isShown = false,
  children,
}: {
  teamId: string;
  month: Month;
  /** Whether the page shows this bill. */
  isShown?: boolean;
  children: ReactNode;
}): ReactNode => (
  <PageLink aria-current={isShown} to="/teams/$id" params={{ id: teamId }} search={{ month, show: 'bills' }}>
    {children}
  </PageLink>
);
