import { Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../../http/session.ts';
import { monthOf, type Month } from '../../shared/calendar.ts';
import { Card } from '../../shared/card.tsx';
import { Answer, Empty } from '../../shared/states.tsx';
import { billsOfMonthQuery, billTotalsQuery } from '../team-queries.ts';
import { billMonths, shownMonth } from './bill-months.ts';
import { BillsChart } from './bills-chart.tsx';
import { MonthBillsTable } from './month-bills-table.tsx';

const CHART_HEIGHT = 320;

const route = getRouteApi('/signed-in/teams');

/** What every team costs in a month, and over the last twelve. */
export function MonthBills(): ReactNode {
  const { today, may } = useSession();
  const month = shownMonth(route.useSearch().month, today);
  const bills = useQuery(billsOfMonthQuery(month));
  const totals = useQuery(billTotalsQuery);
  if (bills.data?.bills.length === 0)
    return (
      <Empty>
        A team owns spend and gets a bill for each month. There is no team yet.
        {may('admin') ? '' : ' An admin can make one.'}
      </Empty>
    );
  return (
    <Stack>
      <Card title={`Bills of ${month}`} actions={<MonthSelect month={month} />} minHeight={320}>
        <Answer query={bills} height={240}>
          {(answer) => <MonthBillsTable {...answer} />}
        </Answer>
      </Card>
      <Card title="Fully loaded by team, last twelve months" minHeight={CHART_HEIGHT + 100}>
        <Answer query={totals} height={CHART_HEIGHT + 36}>
          {(months) => <BillsChart months={months} height={CHART_HEIGHT} />}
        </Answer>
      </Card>
    </Stack>
  );
}

function MonthSelect({ month }: { month: Month }): ReactNode {
  const { today } = useSession();
  const navigate = route.useNavigate();
  return (
    <Select
      aria-label="Month"
      size="xs"
      w={190}
      allowDeselect={false}
      data={billMonths(today).map((value) => ({
        value,
        label: value === monthOf(today) ? `${value} (so far)` : value,
      }))}
      value={month}
      onChange={(value) => {
        void navigate({ search: (before) => ({ ...before, month: value ?? undefined }) });
      }}
    />
  );
}
