import { Anchor, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Money } from '../../shared/amounts.tsx';
import type { Month } from '../../shared/calendar.ts';
import { ColumnHead, DataTable, NumberCell } from '../../shared/tables/data-table.tsx';
import type { Bill, Team } from '../team-queries.ts';
import { sumOf, type TeamBills } from './bill-months.ts';
import { BillStatus, missingReason, WaitsFor } from './bill-status.tsx';

interface Row {
  team: Team;
  bill: Bill;
}

/**
 * The teams' bills of a month, dearest first. Below them is what no bill has, so that all rows add up to the month's cost.
 * `others` is the number of teams that are not among the rows; `cost` is then the month's cost.
 */
export const MonthBillsTable = ({
  month,
  rows,
  others,
  cost,
}: {
  month: Month;
  rows: readonly TeamBills[];
  others: number;
  cost: number | null;
}): ReactNode => {
  const ofMonth = rows
    .flatMap(({ team, bills }): Row[] => {
      const bill = bills.find((one) => one.month === month);
      return bill === undefined ? [] : [{ team, bill }];
    })
    .sort(dearestFirst);
  return (
    <DataTable label={`Every team in ${month}`} minWidth={820}>
      <Table.Thead>
        <Table.Tr>
          <ColumnHead>Team</ColumnHead>
          <ColumnHead numbers>Direct</ColumnHead>
          <ColumnHead numbers>Shared</ColumnHead>
          <ColumnHead numbers>Fully loaded</ColumnHead>
          <ColumnHead>Status</ColumnHead>
          <ColumnHead>Waits for</ColumnHead>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {ofMonth.map((row) => (
          <TeamRow key={row.team.id} {...row} />
        ))}
      </Table.Tbody>
      <Totals month={month} bills={ofMonth.map(({ bill }) => bill)} others={others} cost={cost} />
    </DataTable>
  );
};

const dearestFirst = (one: Row, other: Row): number => {
  const of = ({ bill }: Row): number => bill.fully_loaded ?? -Number.MAX_VALUE;
  return of(other) - of(one) || one.team.name.localeCompare(other.team.name);
};

const TeamRow = ({ team: { id, name }, bill }: Row): ReactNode => {
  const reason = missingReason(bill);
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <Anchor
          inherit
          renderRoot={(props) => (
            <Link to="/teams/$id" params={{ id }} search={{ month: bill.month, show: 'bills' }} {...props} />
          )}
        >
          {name}
        </Anchor>
      </Table.Th>
      <NumberCell>
        <Money value={bill.direct} reason={reason} />
      </NumberCell>
      <NumberCell>
        <Money value={bill.shared} reason={reason} />
      </NumberCell>
      <NumberCell>
        <Money value={bill.fully_loaded} reason={reason} />
      </NumberCell>
      <Table.Td>
        <BillStatus status={bill.status} />
      </Table.Td>
      <Table.Td>
        <WaitsFor bill={bill} />
      </Table.Td>
    </Table.Tr>
  );
};

const Totals = ({
  month,
  bills,
  others,
  cost,
}: {
  month: Month;
  bills: readonly Bill[];
  others: number;
  cost: number | null;
}): ReactNode => {
  const nothing = `no spend has been ingested for ${month}`;
  const total = (amount: (bill: Bill) => number | null): number | null => {
    const known = bills.flatMap((bill) => amount(bill) ?? []);
    return known.length === 0 ? null : sumOf(known);
  };
  const fullyLoaded = total((bill) => bill.fully_loaded);
  const unallocated = bills.find((bill) => bill.unallocated !== null)?.unallocated ?? null;
  const all = others > 0 ? cost : unallocated === null ? fullyLoaded : sumOf([fullyLoaded ?? 0, unallocated]);
  const ofOthers =
    all === null || unallocated === null ? null : sumOf([all, -unallocated, -(fullyLoaded ?? 0)]);
  return (
    <Table.Tfoot>
      <Table.Tr fw={600} style={{ borderTop: '1px solid var(--table-border-color)' }}>
        <Table.Th scope="row">{others > 0 ? `These ${bills.length} teams` : 'All teams'}</Table.Th>
        <NumberCell>
          <Money value={total((bill) => bill.direct)} reason={nothing} />
        </NumberCell>
        <NumberCell>
          <Money value={total((bill) => bill.shared)} reason={nothing} />
        </NumberCell>
        <NumberCell>
          <Money value={fullyLoaded} reason={nothing} />
        </NumberCell>
        <Table.Td colSpan={2} />
      </Table.Tr>
      {others > 0 && (
        <RestRow name={`${others} more teams`} value={ofOthers} reason={nothing}>
          Not shown yet.
        </RestRow>
      )}
      <RestRow name="Unallocated" value={unallocated} reason={nothing}>
        Spend that is on no team’s bill.
      </RestRow>
      <RestRow name={`Cost of ${month}`} value={all} reason={nothing} isBold>
        All rows above.
      </RestRow>
    </Table.Tfoot>
  );
};

const RestRow = ({
  name,
  value,
  reason,
  isBold = false,
  children,
}: {
  name: string;
  value: number | null;
  reason: string;
  isBold?: boolean;
  children: ReactNode;
}): ReactNode => (
  <Table.Tr fw={isBold ? 600 : undefined}>
    <Table.Th scope="row" fw={isBold ? 600 : 'normal'} style={{ whiteSpace: 'nowrap' }}>
      {name}
    </Table.Th>
    <Table.Td colSpan={2} />
    <NumberCell>
      <Money value={value} reason={reason} />
    </NumberCell>
    <Table.Td colSpan={2}>
      <Text size="sm" c="dimmed" fw="normal">
        {children}
      </Text>
    </Table.Td>
  </Table.Tr>
);
