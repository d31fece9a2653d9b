import { Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Schema } from '../../http/api.ts';
import { Missing, Money, Quantity } from '../../shared/amounts.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import { NumberCell, RowHead } from '../../shared/tables/data-table.tsx';
import { ListTable } from '../../shared/tables/list-table.tsx';
import { instantText } from '../../shared/instant.tsx';
import type { ShownMetric } from '../metric-queries.ts';
import { historyQuery, type HistoryFilter } from './history-query.ts';
import { SOURCES_OF_VALUES } from './value-sources.ts';

/** Who changed which value, with the value before, newest first. */
export function ChangesOfValues({
  metric,
  filter,
}: {
  metric: ShownMetric;
  filter?: HistoryFilter;
}): ReactNode {
  const query = useInfiniteQuery(historyQuery(metric.id, filter));
  return (
    <ListTable
      query={query}
      empty="No value has changed."
      label="Changes of values"
      minWidth={720}
      columns={['Period', metric.label_key, { numbers: 'Before' }, { numbers: 'After' }, 'By', 'When']}
    >
      {(change) => (
        <ChangeRow
          key={`${change.changed_at} ${change.period} ${change.label ?? ''} ${change.previous ?? ''} ${change.value ?? ''}`}
          metric={metric}
          change={change}
        />
      )}
    </ListTable>
  );
}

function ChangeRow({ metric, change }: { metric: ShownMetric; change: Schema<'ValueChange'> }): ReactNode {
  const Shape = metric.kind === 'revenue' ? Money : Quantity;
  return (
    <Table.Tr>
      <RowHead>{change.period}</RowHead>
      {metric.label_key !== null && <Table.Td>{change.label}</Table.Td>}
      <NumberCell>
        <Shape value={change.previous} reason={change.reason ?? 'there was no value'} />
      </NumberCell>
      <NumberCell>
        {change.action === 'remove' ? (
          <Missing reason="the value was removed" />
        ) : (
          <Shape value={change.value} reason={change.reason} />
        )}
      </NumberCell>
      <Table.Td>
        {change.changed_by.name}
        <Dimmed size="xs">{SOURCES_OF_VALUES[change.source]}</Dimmed>
      </Table.Td>
      <Table.Td title={change.changed_at}>{instantText(change.changed_at)}</Table.Td>
    </Table.Tr>
  );
}
