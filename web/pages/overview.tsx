import { Grid } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { MetricsAtAGlance } from '../overview/metrics-at-a-glance.tsx';
import { MonthSpendCard } from '../overview/month-spend-card.tsx';
import { Waiting } from '../overview/waiting.tsx';

/** What a team reads first: spend of the month, every metric, and what waits for someone. */
export function OverviewPage(): ReactNode {
  const { has } = useSession();
  return (
    <>
      <PageTitle title="Overview" />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <MonthSpendCard />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Waiting />
        </Grid.Col>
        <Grid.Col span={12}>{has('unit_economics') && <MetricsAtAGlance />}</Grid.Col>
      </Grid>
    </>
  );
}
