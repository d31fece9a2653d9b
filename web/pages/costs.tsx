import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, type ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { PageLink } from '../shared/page-link.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { Answer, Empty } from '../shared/states.tsx';
import { partsOf } from '../spend/costs/lines/cost-lines.ts';
import { rangeOf, type CostRange } from '../spend/costs/cost-range.ts';
import { seriesOf } from '../spend/costs/over-time/cost-series.ts';
import { CostsControls } from '../spend/costs/costs-controls.tsx';
import { CostsOverTime } from '../spend/costs/over-time/costs-over-time.tsx';
import { breakdownQuery, type Breakdown } from '../spend/costs/costs-queries.ts';
import { CostsSummary } from '../spend/costs/costs-summary.tsx';
import { CostsTable } from '../spend/costs/lines/costs-table.tsx';
import { ReconciliationCard } from '../spend/costs/reconciliation-card.tsx';

const route = getRouteApi('/signed-in/costs');

/** Spend of any days by what people group it by: in all, over time, and part by part. */
export function CostsPage(): ReactNode {
  const { today } = useSession();
  const search = route.useSearch();
  const range = rangeOf(search, today);
  const query = useQuery(breakdownQuery(range, [search.by]));
  return (
    <>
      <PageTitle title="Costs" about="Days are UTC. Each dollar counts once." />
      <Stack>
        <CostsControls />
        <CostsSummary range={range} />
        <Answer query={query} height={900}>
          {(breakdown) =>
            breakdown.rows.length === 0 ? (
              <Empty action={<PageLink to="/sources">See the sources</PageLink>}>
                No source has brought any spend of these days.
              </Empty>
            ) : (
              <Parts breakdown={breakdown} range={range} />
            )
          }
        </Answer>
      </Stack>
    </>
  );
}

function Parts({ breakdown, range }: { breakdown: Breakdown; range: CostRange }): ReactNode {
  const { by } = route.useSearch();
  const { rows, total, reconciliation } = breakdown;
  const parts = useMemo(() => partsOf(rows, by), [rows, by]);
  const series = useMemo(() => seriesOf(parts), [parts]);
  return (
    <>
      <CostsOverTime range={range} parts={parts} series={series} total={total} />
      <CostsTable range={range} parts={parts} series={series} total={total} />
      {reconciliation.length > 0 && <ReconciliationCard rows={reconciliation} />}
    </>
  );
}
