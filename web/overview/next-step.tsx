import { Alert, Group, Loader, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { metricsQuery } from '../metrics/metric-queries.ts';
import { NewMetric } from '../metrics/new-metric.tsx';
import { Money } from '../shared/amounts.tsx';
import { countText } from '../shared/numbers.ts';
import { useCurrentRun } from '../sources/runs/use-current-run.ts';
import type { CostSource, Run } from '../sources/sources-queries.ts';

/** On the page of a source: what comes next on the way to the first unit cost. Shows nothing once there is a metric. */
export function NextStep({ source }: { source: CostSource }): ReactNode {
  const { may, has } = useSession();
  const run = useCurrentRun(source);
  const mayMake = may('admin') && has('unit_economics');
  const { data: metrics } = useInfiniteQuery({ ...metricsQuery, enabled: mayMake });
  if (!mayMake || metrics?.length !== 0 || run === null) return null;
  return (
    <Alert title={titleOf(run, source)} color={run.status === 'failed' ? 'red' : 'blue'} role="status">
      <Words run={run} />
    </Alert>
  );
}

const TITLES: Record<Run['status'], string> = {
  running: 'The spend is being read',
  completed: 'Next: what the spend is divided by',
  failed: 'Nothing could be read yet',
};

const titleOf = ({ status }: Run, { delivered_through: delivered }: CostSource): string =>
  status === 'failed' && delivered !== null ? 'The last run failed' : TITLES[status];

function Words({ run: { status, rows_read: rows, cost_total: total } }: { run: Run }): ReactNode {
  switch (status) {
    case 'running':
      return (
        <Group gap="sm">
          <Loader size="xs" aria-hidden />
          <Text size="sm">{countText(rows, 'row')} read so far. You can leave this page.</Text>
        </Group>
      );
    case 'failed':
      return <Text size="sm">The run below says why, and what to change.</Text>;
    case 'completed':
      return (
        <Stack gap="xs" align="flex-start">
          <Text size="sm">
            {/* A run that found nothing new has read no amount. */}
            {rows > 0 && total !== null ? (
              <>
                <Money value={total} /> are there.
              </>
            ) : (
              'The spend is there.'
            )}{' '}
            A metric divides it by something that the business counts, such as orders or customers.
          </Text>
          <NewMetric />
        </Stack>
      );
  }
}
