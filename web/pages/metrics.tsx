import { Anchor, Badge, Button, Table, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { Missing, Percent, UnitCost } from '../shared/amounts.tsx';
import { Card } from '../shared/card.tsx';
import { ColumnHead, DataTable, NumberCell } from '../shared/tables/data-table.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { Answer, Empty } from '../shared/states.tsx';
import { metricsQuery, type ListedMetric } from '../metrics/metric-queries.ts';
import { isShown, ratioInWords, scopeInWords, valuesInWords } from '../metrics/metric-words.ts';
import { ShowMore } from '../shared/tables/show-more.tsx';

/** Every metric with its definition. */
export function MetricsPage(): ReactNode {
  const { may, has } = useSession();
  return (
    <>
      <PageTitle title="Metrics" about="What the business counts, and the cost that each divides">
        {may('admin') && has('unit_economics') && <NewMetric />}
      </PageTitle>
      {has('unit_economics') ? <List /> : <Empty>Metrics need the Professional plan or above.</Empty>}
    </>
  );
}

const NewMetric = (): ReactNode => (
  <Button size="xs" renderRoot={(props) => <Link {...props} to="/business-metrics/new" />}>
    New metric
  </Button>
);

function List(): ReactNode {
  const query = useInfiniteQuery(metricsQuery);
  return (
    <Card title="All metrics">
      <Answer query={query} height={320}>
        {({ pages }) => {
          const metrics = pages.flatMap(({ data }) => data);
          if (metrics.length === 0) return <Empty>There is no metric yet.</Empty>;
          return (
            <>
              <DataTable label="All metrics" minWidth={820}>
                <Table.Thead>
                  <Table.Tr>
                    <ColumnHead>Metric</ColumnHead>
                    <ColumnHead>Divides</ColumnHead>
                    <ColumnHead>Values</ColumnHead>
                    <ColumnHead numbers>Latest</ColumnHead>
                    <ColumnHead numbers>Target</ColumnHead>
                    <ColumnHead>Import</ColumnHead>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {metrics.map((metric) => (
                    <MetricRow key={metric.id} metric={metric} />
                  ))}
                </Table.Tbody>
              </DataTable>
              <ShowMore of={query} />
            </>
          );
        }}
      </Answer>
    </Card>
  );
}

const MetricRow = ({ metric }: { metric: ListedMetric }): ReactNode => (
  <Table.Tr>
    <Table.Th scope="row">
      <Anchor
        inherit
        renderRoot={(props) => <Link {...props} to="/business-metrics/$id" params={{ id: metric.id }} />}
      >
        {metric.name}
      </Anchor>
    </Table.Th>
    {isShown(metric) ? (
      <Definition metric={metric} />
    ) : (
      <Table.Td colSpan={5}>
        <Text size="sm" c="dimmed">
          Revenue. Only admins see its numbers.
        </Text>
      </Table.Td>
    )}
  </Table.Tr>
);

function Definition({ metric }: { metric: Extract<ListedMetric, { unit: string }> }): ReactNode {
  const { latest, target } = metric;
  const Shape = metric.kind === 'revenue' ? Percent : UnitCost;
  return (
    <>
      <Table.Td>
        {ratioInWords(metric)}
        <Text size="xs" c="dimmed">
          of {scopeInWords(metric.scope)}
        </Text>
      </Table.Td>
      <Table.Td>
        {valuesInWords(metric)}
        {metric.label_key !== null && (
          <Text size="xs" c="dimmed">
            by {metric.label_key}
          </Text>
        )}
      </Table.Td>
      <NumberCell>
        <Shape
          value={
            latest === null ? null : 'unit_cost' in latest ? latest.unit_cost : latest.cost_share_percent
          }
          reason="no month has a unit cost yet"
        />
        {latest !== null && (
          <Text size="xs" c="dimmed">
            {latest.month}
          </Text>
        )}
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
