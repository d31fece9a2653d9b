import { Button, Group, TextInput, type TextInputProps } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useSession } from '../../http/session.ts';
import type { Month } from '../../shared/calendar.ts';
import { Dimmed } from '../../shared/dimmed.tsx';
import { ListCard } from '../../shared/tables/list-card.tsx';
import { useHotkeys } from '@mantine/hooks';
import { mayChangeValues } from './may-change-values.ts';
import type { ShownMetric } from '../metric-queries.ts';
import { useValueEdits } from './use-value-edits.ts';
import { ValueRow } from './value-row.tsx';
import { firstMonths, valuesQuery } from './values-query.ts';

/** The values of a range of months as a grid. A cell is edited in place, and each edit can be undone. */
export function ValuesTab({ metric }: { metric: ShownMetric }): ReactNode {
  const session = useSession();
  const first = firstMonths(metric, session.today);
  const [start, setStart] = useState(first.start);
  const [end, setEnd] = useState(first.end);
  const query = useInfiniteQuery(valuesQuery(metric.id, { start, end }));
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
          <MonthInput label="To" value={end} min={start} max={first.end} onChange={setEnd} />
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
