import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { MetricsCard } from '../metrics/metrics-card.tsx';
import { NewMetric } from '../metrics/new-metric.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { Empty } from '../shared/states.tsx';

/** Every metric with its definition. */
export function MetricsPage(): ReactNode {
  const { may, has } = useSession();
  return (
    <>
      <PageTitle title="Metrics" about="What the business counts, and the cost that each divides">
        {may('admin') && has('unit_economics') && <NewMetric />}
      </PageTitle>
      {has('unit_economics') ? <MetricsCard /> : <Empty>Metrics need the Professional plan or above.</Empty>}
    </>
  );
}
