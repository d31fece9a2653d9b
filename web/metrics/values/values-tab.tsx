import { Button, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, bodyOf } from '../../http/api.ts';
import { useSession } from '../../http/session.ts';
import { addMonths, monthOf } from '../../shared/calendar.ts';
import { Card } from '../../shared/card.tsx';
import { ColumnHead, DataTable } from '../../shared/tables/data-table.tsx';
import { Answer, Empty } from '../../shared/states.tsx';
import { useHotkeys } from '@mantine/hooks';
import { mayChangeValues } from './may-change-values.ts';
import type { ShownMetric } from '../metric-queries.ts';
import { useValueEdits } from './use-value-edits.ts';
import { ValueRow } from './value-row.tsx';
import { ShowMore } from '../../shared/tables/show-more.tsx';

const PAGE = 500;
/** Months that are shown at first. */
const MONTHS = { daily: 2, monthly: 12 } as const;

const valuesQuery = (id: string, start: string, end: string) =>
  infiniteQueryOptions({
    queryKey: ['values', id, start, end],
    queryFn: ({ signal, pageParam: cursor }) =>
      bodyOf(
        api.GET('/api/v1/metrics/{id}/values', {
          params: {
            path: { id },
            query: { limit: PAGE, start, end, ...(cursor === null ? {} : { cursor }) },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

/** The values of a range of months as a grid. A cell is edited in place, and each edit can be undone. */
export function ValuesTab({ metric }: { metric: ShownMetric }): ReactNode {
  const session = useSession();
  const newest = monthOf(session.today);
  const [start, setStart] = useState(addMonths(newest, 1 - MONTHS[metric.frequency]));
  const [end, setEnd] = useState(newest);
  const query = useInfiniteQuery(valuesQuery(metric.id, start, end));
  const edits = useValueEdits(metric);
  const editable = mayChangeValues(session, metric);
  useHotkeys([['mod+Z', edits.undo]]);
  return (
    <Card
      title="Values"
      actions={
        editable.mayRemove && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconArrowBackUp size={16} aria-hidden />}
            disabled={edits.done.length === 0}
            loading={edits.isSaving}
            onClick={edits.undo}
          >
            Undo{edits.done.length > 0 ? ` (${edits.done.length})` : ''}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        <Group align="flex-end">
          <TextInput
            label="From"
            type="month"
            size="xs"
            value={start}
            max={end}
            onChange={({ currentTarget: { value } }) => {
              if (value !== '') setStart(value);
            }}
          />
          <TextInput
            label="To"
            type="month"
            size="xs"
            value={end}
            min={start}
            max={newest}
            onChange={({ currentTarget: { value } }) => {
              if (value !== '') setEnd(value);
            }}
          />
          {editable.reason !== null && (
            <Text size="sm" c="dimmed">
              {editable.reason}
            </Text>
          )}
        </Group>
        <Answer query={query} height={300}>
          {({ pages }) => {
            const values = pages.flatMap(({ data }) => data);
            if (values.length === 0) return <Empty>There are no values in these months.</Empty>;
            return (
              <>
                <DataTable label="Values" minWidth={620}>
                  <Table.Thead>
                    <Table.Tr>
                      <ColumnHead>Period</ColumnHead>
                      {metric.label_key !== null && <ColumnHead>{metric.label_key}</ColumnHead>}
                      <ColumnHead numbers>Value</ColumnHead>
                      <ColumnHead>Last change</ColumnHead>
                      {editable.mayRemove && <ColumnHead>Remove</ColumnHead>}
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {values.map((value) => (
                      <ValueRow
                        key={`${value.period} ${value.label ?? ''}`}
                        metric={metric}
                        value={value}
                        editable={editable}
                        change={edits.change}
                      />
                    ))}
                  </Table.Tbody>
                </DataTable>
                <ShowMore of={query} />
              </>
            );
          }}
        </Answer>
      </Stack>
    </Card>
  );
}
