import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageLink } from '../../shared/page-link.tsx';
import type { Month } from '../../shared/calendar.ts';
import type { Column } from '../../shared/tables/table-head.tsx';
import { MoneyCell } from '../../shared/tables/amount-cells.tsx';
import type { Bill } from '../team-queries.ts';
import { BillStatus, missingReason, WaitsFor } from './bill-status.tsx';

/** The columns of {@link BillCells}. */
export const BILL_COLUMNS: readonly Column[] = [
  { numbers: 'Direct', w: 130 },
  { numbers: 'Shared', w: 130 },
  { numbers: 'Fully loaded', w: 130 },
  { words: 'Status', w: 120 },
  'Waits for',
];

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
    <MoneyCell key={name} value={value} reason={reason} />
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
