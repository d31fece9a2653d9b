import { Table } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import { MoneyCell } from '../../shared/tables/amount-cells.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import { DataTable } from '../../shared/tables/data-table.tsx';
import { isLong, LongBody } from '../../shared/tables/long-body.tsx';
import { TableHead } from '../../shared/tables/table-head.tsx';
import { sumOf } from '../../shared/sums.ts';
import type { BillOfTeam, BillsOfMonth } from '../team-queries.ts';
import { AmountCells, BILL_COLUMNS, BillCells, BillLink } from './bill-cells.tsx';

/** The height of a row in pixels, so that rows that are not drawn keep their room. */
const ROW_HEIGHT = 43;

/** The teams' bills of a month, dearest first. With what no bill has below them, all rows add up to the month's cost. */
export function MonthBillsTable({ month, bills, unallocated, total }: BillsOfMonth): ReactNode {
  const sorted = useMemo(() => bills.toSorted(dearestFirst), [bills]);
  const nothing = `no spend has been ingested for ${month}`;
  return (
    <DataTable
      label={`Every team in ${month}`}
      minWidth={960}
      aria-rowcount={bills.length + 4}
      isLong={isLong(bills.length)}
    >
      <TableHead columns={[{ words: 'Team', w: '25%' }, ...BILL_COLUMNS]} />
      <LongBody
        items={sorted}
        rowHeight={ROW_HEIGHT}
        columns={6}
        row={(bill, index) => (
          <Table.Tr key={bill.team.id} aria-rowindex={index + 2} h={ROW_HEIGHT}>
            <Table.Th scope="row">
              <BillLink teamId={bill.team.id} month={month}>
                {bill.team.name}
              </BillLink>
            </Table.Th>
            <BillCells bill={bill} isOneLine={isLong(bills.length)} />
          </Table.Tr>
        )}
      />
      <Table.Tfoot>
        <Table.Tr fw={600} style={{ borderTop: '1px solid var(--table-border-color)' }}>
          <Table.Th scope="row">All teams</Table.Th>
          <AmountCells
            amounts={{
              direct: totalOf(bills.map(({ direct }) => direct)),
              shared: totalOf(bills.map(({ shared }) => shared)),
              fully_loaded: totalOf(bills.map(({ fully_loaded }) => fully_loaded)),
            }}
            reason={nothing}
          />
          <Table.Td colSpan={2} />
        </Table.Tr>
        <RestRow name="Unallocated" value={unallocated} reason={nothing}>
          Spend that is on no team’s bill.
        </RestRow>
        <RestRow name={`Cost of ${month}`} value={total} reason={nothing} isBold>
          All rows above.
        </RestRow>
      </Table.Tfoot>
    </DataTable>
  );
}

function dearestFirst(one: BillOfTeam, other: BillOfTeam): number {
  const of = ({ fully_loaded }: BillOfTeam): number => fully_loaded ?? -Number.MAX_VALUE;
  return of(other) - of(one) || one.team.name.localeCompare(other.team.name);
}

/** Adds known amounts up. Without any there is no sum. */
function totalOf(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((amount) => amount !== null);
  return known.length === 0 ? null : sumOf(known);
}

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
    <MoneyCell value={value} reason={reason} />
    <Table.Td colSpan={2}>
      <Dimmed fw="normal">{children}</Dimmed>
    </Table.Td>
  </Table.Tr>
);
