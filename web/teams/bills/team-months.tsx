import { Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SPEND_SOURCES } from '../../../domain/sources/spend-sources.ts';
import { useSession } from '../../http/session.ts';
import { Missing } from '../../shared/amounts.tsx';
import type { Month } from '../../shared/calendar.ts';
import { Card } from '../../shared/card.tsx';
import { DataTable, NumberCell } from '../../shared/tables/data-table.tsx';
import { TableHead } from '../../shared/tables/table-head.tsx';
import { Answer } from '../../shared/states.tsx';
import { MoneyCell } from '../../shared/tables/amount-cells.tsx';
import { SOURCE_NAMES } from '../../spend/source-names.ts';
import { billsQuery, type Bill, type Team } from '../team-queries.ts';
import { BILL_COLUMNS, BillCells, BillLink } from './bill-cells.tsx';
import { BillDetail } from './bill-detail.tsx';
import { shownMonth } from './bill-months.ts';
import { missingReason } from './bill-status.tsx';
import { BillVersions } from './bill-versions.tsx';

const route = getRouteApi('/signed-in/teams/$id');

/** A team's bills of the last twelve months, and one of them in detail. */
export function TeamMonths({ team }: { team: Team }): ReactNode {
  const { today } = useSession();
  const month = shownMonth(route.useSearch().month, today);
  return (
    <Answer query={useQuery(billsQuery(team.id))} height={720}>
      {(bills) => {
        const bill = bills.find((one) => one.month === month);
        return (
          <Stack>
            {bill !== undefined && (
              <>
                <BillDetail bill={bill} />
                <BillVersions key={month} team={team} bill={bill} />
              </>
            )}
            <Card title="Last twelve months">
              <MonthsTable team={team} bills={bills} month={month} />
            </Card>
          </Stack>
        );
      }}
    </Answer>
  );
}

const MonthsTable = ({
  team,
  bills,
  month,
}: {
  team: Team;
  bills: readonly Bill[];
  month: Month;
}): ReactNode => (
  <DataTable label={`Bills of ${team.name} by month`} minWidth={1200}>
    <TableHead
      columns={[
        'Month',
        ...BILL_COLUMNS,
        { numbers: 'Version' },
        ...SPEND_SOURCES.map((source) => ({ numbers: SOURCE_NAMES[source] })),
      ]}
    />
    <Table.Tbody>
      {bills.map((bill) => (
        <MonthRow key={bill.month} team={team} bill={bill} isShown={bill.month === month} />
      ))}
    </Table.Tbody>
  </DataTable>
);

const MonthRow = ({
  team: { id },
  bill,
  isShown,
}: {
  team: Team;
  bill: Bill;
  isShown: boolean;
}): ReactNode => (
  <Table.Tr bg={isShown ? 'var(--mantine-color-default-hover)' : undefined}>
    <Table.Th scope="row" style={{ whiteSpace: 'nowrap' }}>
      <BillLink teamId={id} month={bill.month} isShown={isShown}>
        {bill.month}
      </BillLink>
    </Table.Th>
    <BillCells bill={bill} />
    <NumberCell>
      {bill.version ?? <Missing reason="the bill is not sealed, and has no version yet" />}
    </NumberCell>
    {SPEND_SOURCES.map((source) => (
      <MoneyCell key={source} value={bill.by_source?.[source]} reason={missingReason(bill)} />
    ))}
  </Table.Tr>
);
