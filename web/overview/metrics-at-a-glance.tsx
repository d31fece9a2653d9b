import { Badge, Group, NativeSelect, Table, Text, TextInput, useMatches } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { memo, useDeferredValue, type ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { HiddenNumbers, MetricHead } from '../metrics/metric-cells.tsx';
import { ratioOf } from '../metrics/ratio-of.ts';
import { NewMetric } from '../metrics/new-metric.tsx';
import { Change, Missing, Percent, UnitCost } from '../shared/amounts.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { Card } from '../shared/card.tsx';
import { Sparkline } from '../shared/charts/sparkline.tsx';
import { DataTable, NumberCell } from '../shared/tables/data-table.tsx';
import { changeText } from '../shared/numbers.ts';
import { Answer, Empty } from '../shared/states.tsx';
import { isLong, LongBody } from '../shared/tables/long-body.tsx';
import { TableHead } from '../shared/tables/table-head.tsx';
import { overviewQuery, type Glance, type OverviewRow as Row } from './overview-query.ts';
import { ORDERS, type Order } from './overview-search.ts';

const hasNumbers = (row: Row): row is Glance => 'sparkline' in row;

const NO_UNIT_COST = 'no month has a unit cost yet';
const ROW_HEIGHT = 49;

const route = getRouteApi('/signed-in/');

/** Every metric with its trend, unit cost, change, target and import, to filter and to sort. */
export function MetricsAtAGlance(): ReactNode {
  const query = useQuery(overviewQuery);
  const { may } = useSession();
  const { q, order } = route.useSearch();
  const navigate = route.useNavigate();
  const wanted = useDeferredValue(q);
  return (
    <Card
      title="Metrics"
      minHeight={320}
      actions={
        <>
          <TextInput
            aria-label="Find a metric"
            placeholder="Find a metric"
            size="xs"
            value={q}
            onChange={({ currentTarget: { value } }) => {
              void navigate({ search: (before) => ({ ...before, q: value }), replace: true });
            }}
          />
          <NativeSelect
            aria-label="Order"
            size="xs"
            w={170}
            data={Object.entries(ORDERS).map(([value, { label }]) => ({ value, label }))}
            value={order}
            onChange={({ currentTarget: { value } }) => {
              void navigate({ search: (before) => ({ ...before, order: value as Order }), replace: true });
            }}
          />
          {may('admin') && <NewMetric />}
        </>
      }
    >
      <Answer query={query} height={240}>
        {(rows) => {
          if (rows.length === 0)
            return (
              <Empty action={may('admin') ? <NewMetric /> : undefined}>
                A metric divides spend by something that the business counts, such as orders or customers.
                There is none yet.
              </Empty>
            );
          const found = rows
            .filter(({ metric }) => metric.name.toLowerCase().includes(wanted.trim().toLowerCase()))
            .sort(ORDERS[order].compare);
          return found.length === 0 ? <Empty>No metric has this in its name.</Empty> : <Rows rows={found} />;
        }}
      </Answer>
    </Card>
  );
}

function Rows({ rows }: { rows: readonly Row[] }): ReactNode {
  // A phone shows each name with its unit cost. The rest scrolls into view.
  const minWidth = useMatches({ base: 700, sm: 1000 });
  return (
    <DataTable
      label="Metrics"
      minWidth={minWidth}
      aria-rowcount={rows.length + 1}
      isLong={isLong(rows.length)}
    >
      <TableHead
        columns={[
          { words: 'Metric', w: '18%' },
          { numbers: 'Unit cost', w: '20%' },
          { numbers: 'Change', w: '7%' },
          { numbers: 'Target', w: '11%' },
          { words: 'Trend', w: 132 },
          { words: 'What happened', w: '25%' },
          'Import',
        ]}
      />
      <LongBody
        items={rows}
        rowHeight={ROW_HEIGHT}
        columns={7}
        row={(row, index) => <MetricRow key={row.metric.id} row={row} position={index + 2} />}
      />
    </DataTable>
  );
}

/** Scrolling draws new rows only. */
const MetricRow = memo(({ row, position }: { row: Row; position: number }): ReactNode => (
  <Table.Tr aria-rowindex={position} h={ROW_HEIGHT}>
    <MetricHead metric={row.metric} />
    {hasNumbers(row) ? <Numbers row={row} /> : <HiddenNumbers columns={6} />}
  </Table.Tr>
));
MetricRow.displayName = 'MetricRow';

function Numbers({ row }: { row: Glance }): ReactNode {
  const { latest, target, sparkline } = row;
  const isRevenue = row.metric.kind === 'revenue';
  const Shown = isRevenue ? Percent : UnitCost;
  return (
    <>
      <NumberCell>
        <Shown value={latest && ratioOf(latest)} reason={NO_UNIT_COST} />{' '}
        {latest !== null && (
          <Dimmed span size="xs">
            {isRevenue ? 'of revenue' : `per ${row.metric.unit}`},{' '}
            <span className="unbroken">{latest.month}</span>
          </Dimmed>
        )}
      </NumberCell>
      <NumberCell>
        <Change
          value={row.unit_cost_change_percent}
          reason={latest === null ? NO_UNIT_COST : 'the month before has no unit cost to compare with'}
        />
      </NumberCell>
      <NumberCell>
        <Group gap={6} justify="flex-end" wrap="nowrap">
          {row.above_target && (
            <Badge color="red" size="sm">
              Above
            </Badge>
          )}
          <Shown value={target} reason="no target is set" />
        </Group>
      </NumberCell>
      <Table.Td>
        {latest === null ? (
          <Missing reason={NO_UNIT_COST} />
        ) : (
          <Sparkline values={sparkline} label={`Unit cost of ${row.metric.name} over twelve months`} />
        )}
      </Table.Td>
      <Table.Td>
        <Text size="sm" c={row.opposite_directions ? undefined : 'dimmed'}>
          {movement(row)}
        </Text>
      </Table.Td>
      <Table.Td>
        <ImportState status={row.import_status} />
      </Table.Td>
    </>
  );
}

/** Spend and unit cost in words, because a rising bill can hide a falling unit cost. */
function movement({
  spend_change_percent: spend,
  unit_cost_change_percent: unit,
  metric,
  change_basis,
}: Glance): string {
  if (spend === null || unit === null) return 'Nothing to compare with yet';
  const what = metric.kind === 'revenue' ? 'cost share' : `cost per ${metric.unit}`;
  const basis = change_basis === 'same_days' ? ', same days' : '';
  return `Spend ${changeText(spend)}, ${what} ${changeText(unit)}${basis}`;
}

const IMPORT_COLORS = { connected: 'green', paused: 'gray', failed: 'red' } as const;

const ImportState = ({ status }: { status: Glance['import_status'] }): ReactNode =>
  status === null ? (
    <Missing reason="no daily import is connected" />
  ) : (
    <Badge color={IMPORT_COLORS[status]}>{status}</Badge>
  );
