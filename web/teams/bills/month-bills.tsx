import { Button, Select, Stack, Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { useSession } from '../../http/session.ts';
import { monthOf, type Month } from '../../shared/calendar.ts';
import { Card } from '../../shared/card.tsx';
import { Answer, Empty, Failure, Loading } from '../../shared/states.tsx';
import { billsQuery, ownedSpendQuery, teamsQuery, type Team } from '../team-queries.ts';
import { billMonths, shownMonth, type TeamBills } from './bill-months.ts';
import { MonthBillsTable } from './month-bills-table.tsx';

/** Each team's bills are a request of their own, so that more teams are asked for on demand, the dearest first. */
const TEAMS_AT_ONCE = 20;
const CHART_HEIGHT = 320;

const Chart = lazy(() =>
  import('../team-bills-chart.tsx').then((file) => ({ default: file.TeamBillsChart })),
);

const route = getRouteApi('/signed-in/teams');

/** What every team costs in a month, and over the last twelve. */
export const MonthBills = (): ReactNode => {
  const { may } = useSession();
  return (
    <Answer query={useQuery(teamsQuery)} height={480}>
      {(teams) =>
        teams.length === 0 ? (
          <Empty>
            A team owns spend and gets a bill for each month. There is no team yet.
            {may('admin') ? '' : ' An admin can make one.'}
          </Empty>
        ) : (
          <Bills teams={teams} />
        )
      }
    </Answer>
  );
};

const Bills = ({ teams }: { teams: readonly Team[] }): ReactNode => {
  const { today } = useSession();
  const month = shownMonth(route.useSearch().month, today);
  const [count, setCount] = useState(TEAMS_AT_ONCE);
  const isLong = teams.length > TEAMS_AT_ONCE;
  const owned = useQuery({ ...ownedSpendQuery(month), enabled: isLong });
  const ranked = isLong ? byOwnedSpend(teams, owned.data?.data ?? []) : teams;
  const asked = isLong && owned.data === undefined ? [] : ranked.slice(0, count);
  const answers = useQueries({ queries: asked.map(({ id }) => billsQuery(id)) });
  const loaded = answers.flatMap(({ data }, index): TeamBills[] => {
    const team = asked[index];
    return data === undefined || team === undefined ? [] : [{ team, bills: data }];
  });
  const failed = [owned, ...answers].find(({ error }) => error !== null);
  const isLoading = loaded.length < asked.length || (isLong && owned.data === undefined);
  const retry = (): void => {
    for (const answer of [owned, ...answers]) if (answer.error !== null) void answer.refetch();
  };
  return (
    <Stack>
      <Card title={`Bills of ${month}`} actions={<MonthSelect month={month} />} minHeight={320}>
        {failed !== undefined ? (
          <Failure error={failed.error} retry={retry} />
        ) : loaded.length === 0 ? (
          <Loading height={240} />
        ) : (
          <MonthBillsTable
            month={month}
            rows={loaded}
            others={teams.length - loaded.length}
            cost={owned.data?.total ?? null}
          />
        )}
        {asked.length < teams.length && (
          <Button
            variant="default"
            mt="sm"
            loading={isLoading}
            onClick={() => {
              setCount((before) => before + TEAMS_AT_ONCE);
            }}
          >
            Show more teams
          </Button>
        )}
      </Card>
      <Card title="Fully loaded by team, last twelve months" minHeight={CHART_HEIGHT + 80}>
        {failed === undefined && !isLoading ? (
          <Suspense fallback={<Loading height={CHART_HEIGHT} />}>
            <Chart height={CHART_HEIGHT} months={billMonths(today).toReversed()} rows={loaded} />
            {loaded.length < teams.length && (
              <Text size="sm" c="dimmed" mt="xs">
                Without the {teams.length - loaded.length} teams that are not shown yet.
              </Text>
            )}
          </Suspense>
        ) : (
          failed === undefined && <Loading height={CHART_HEIGHT} />
        )}
      </Card>
    </Stack>
  );
};

const byOwnedSpend = (
  teams: readonly Team[],
  owned: readonly { [key: string]: string | number | null; total: number }[],
): Team[] => {
  const spend = new Map(owned.map((row) => [row['team'], row.total]));
  return teams.toSorted((one, other) => (spend.get(other.id) ?? 0) - (spend.get(one.id) ?? 0));
};

const MonthSelect = ({ month }: { month: Month }): ReactNode => {
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
};
