import { Button, Group, TextInput, type TextInputProps } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, bodyOf } from '../../http/api.ts';
import { listQuery } from '../../http/list-query.ts';
import { useSession } from '../../http/session.ts';
import { addMonths, monthOf, type Month } from '../../shared/calendar.ts';
import { Dimmed } from '../../shared/dimmed.tsx';
import { ListCard } from '../../shared/tables/list-card.tsx';
import { useHotkeys } from '@mantine/hooks';
import { mayChangeValues } from './may-change-values.ts';
import type { ShownMetric } from '../metric-queries.ts';
import { useValueEdits } from './use-value-edits.ts';
import { ValueRow } from './value-row.tsx';

const PAGE = 500;
/** Months that are shown at first. */
const MONTHS = { daily: 2, monthly: 12 } as const;

const valuesQuery = (id: string, start: string, end: string) =>
  listQuery(['values', id, start, end], (at, signal) =>
    bodyOf(
      api.GET('/api/v1/metrics/{id}/values', {
        params: { path: { id }, query: { limit: PAGE, start, end, ...at } },
        signal,
      }),
    ),
  );

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
    <ListCard
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
      above={
        <Group align="flex-end" mb="sm">
          <MonthInput label="From" value={start} max={end} onChange={setStart} />
          <MonthInput label="To" value={end} min={start} max={newest} onChange={setEnd} />
          {editable.reason !== null && <Dimmed>{editable.reason}</Dimmed>}
        </Group>
      }
      query={query}
      height={300}
      empty="There are no values in these months."
      label="Values"
      minWidth={620}
      columns={[
        'Period',
        metric.label_key,
        { numbers: 'Value' },
        'Last change',
        editable.mayRemove && 'Remove',
      ]}
    >
      {(value) => (
        <ValueRow
          key={`${value.period} ${value.label ?? ''}`}
          metric={metric}
          value={value}
          editable={editable}
          change={edits.change}
        />
      )}
    </ListCard>
  );
}

const MonthInput = ({
  onChange,
  ...field
}: Pick<TextInputProps, 'label' | 'min' | 'max'> & {
  value: Month;
  onChange: (month: Month) => void;
}): ReactNode => (
  <TextInput
    type="month"
    size="xs"
    {...field}
    onChange={({ currentTarget: { value } }) => {
      if (value !== '') onChange(value);
    }}
  />
);
