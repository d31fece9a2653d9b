import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { MetricForm } from '../metrics/metric-form.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { Empty } from '../shared/states.tsx';

/** What people fill in about a new metric, if they may make one. */
export function NewMetricPage(): ReactNode {
  const { may, has } = useSession();
  return (
    <>
      <PageTitle title="New metric" about="Divide spend by something that the business counts" />
      {!has('unit_economics') ? (
        <Empty>Metrics need the Professional plan or above.</Empty>
      ) : may('admin') ? (
        <MetricForm />
      ) : (
        <Empty>Only keys with the permission admin make metrics.</Empty>
      )}
    </>
  );
}
