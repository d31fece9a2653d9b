import { Badge, Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Missing, Percent, UnitCost } from '../shared/amounts.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { NumberCell } from '../shared/tables/data-table.tsx';
import { ListCard } from '../shared/tables/list-card.tsx';
import { HiddenNumbers, MetricHead } from './metric-cells.tsx';
import { ratioOf } from './ratio-of.ts';
import { metricsQuery, type ListedMetric } from './metric-queries.ts';
import { isShown, ratioInWords, scopeInWords, valuesInWords } from './metric-words.ts';

/** Every metric with its definition. */
export const MetricsCard = (): ReactNode => (
  <ListCard
    title="All metrics"
    query={useInfiniteQuery(metricsQuery)}
    height={320}
    empty="There is no metric yet."
    label="All metrics"
    minWidth={820}
    columns={['Metric', 'Divides', 'Values', { numbers: 'Latest' }, { numbers: 'Target' }, 'Import']}
  >
    {(metric) => <MetricRow key={metric.id} metric={metric} />}
  </ListCard>
);

const MetricRow = ({ metric }: { metric: ListedMetric }): ReactNode => (
  <Table.Tr>
    <MetricHead metric={metric} />
    {isShown(metric) ? <Definition metric={metric} /> : <HiddenNumbers columns={5} />}
  </Table.Tr>
);

function Definition({ metric }: { metric: Extract<ListedMetric, { unit: string }> }): ReactNode {
  const { latest, target } = metric;
  const Shape = metric.kind === 'revenue' ? Percent : UnitCost;
  return (
    <>
      <Table.Td>
        {ratioInWords(metric)}
        <Dimmed size="xs">of {scopeInWords(metric.scope)}</Dimmed>
      </Table.Td>
      <Table.Td>
        {valuesInWords(metric)}
        {metric.label_key !== null && <Dimmed size="xs">by {metric.label_key}</Dimmed>}
      </Table.Td>
      <NumberCell>
        <Shape value={latest && ratioOf(latest)} reason="no month has a unit cost yet" />
        {latest !== null && <Dimmed size="xs">{latest.month}</Dimmed>}
      </NumberCell>
      <NumberCell>
        <Shape value={target} reason="no target is set" />
      </NumberCell>
      <Table.Td>
        {metric.import === null ? (
          <Missing reason="no daily import is connected" />
        ) : (
          <Badge>
            {metric.import.type}, {metric.import.status}
          </Badge>
        )}
      </Table.Td>
    </>
  );
}
