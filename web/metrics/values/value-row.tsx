import { ActionIcon, NumberInput, Table, Text, UnstyledButton } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import type { Schema } from '../../http/api.ts';
import { Money, Quantity } from '../../shared/amounts.tsx';
import { NumberCell } from '../../shared/tables/data-table.tsx';
import { instantText } from '../../shared/times.ts';
import type { MayChangeValues } from './may-change-values.ts';
import type { ShownMetric } from '../metric-queries.ts';
import type { ValueEdit } from './use-value-edits.ts';
import { SOURCES_OF_VALUES } from './value-sources.ts';

/** A value in the grid. Enter or a click opens its cell, Enter saves, Escape leaves it as it was. */
export const ValueRow = ({
  metric,
  value: { period, label, value, source, changed_by, changed_at },
  editable: { maySet, mayRemove },
  change,
}: {
  metric: ShownMetric;
  value: Schema<'Value'>;
  editable: MayChangeValues;
  change: (edit: ValueEdit) => Promise<void>;
}): ReactNode => {
  const [draft, setDraft] = useState<number | string | null>(null);
  const Shape = metric.kind === 'revenue' ? Money : Quantity;
  const name = [period, label].filter((part) => part !== undefined).join(', ');
  const save = (after: number | null): void => {
    setDraft(null);
    // A failure has said why. The cell shows the stored value again.
    if (after !== value) change({ period, label, before: value, after }).catch(() => undefined);
  };
  return (
    <Table.Tr>
      <Table.Th scope="row" fw="normal">
        {period}
      </Table.Th>
      {metric.label_key !== null && <Table.Td>{label}</Table.Td>}
      <NumberCell>
        {draft !== null ? (
          <NumberInput
            aria-label={`Value of ${name}`}
            size="xs"
            hideControls
            autoFocus
            decimalScale={10}
            value={draft}
            onChange={setDraft}
            styles={{ input: { textAlign: 'right' } }}
            onBlur={() => {
              save(typeof draft === 'number' ? draft : value);
            }}
            onKeyDown={({ key, currentTarget }) => {
              if (key === 'Enter') currentTarget.blur();
              if (key === 'Escape') setDraft(null);
            }}
          />
        ) : maySet ? (
          <UnstyledButton
            fz="sm"
            aria-label={`Change the value of ${name}, now ${value}`}
            onClick={() => {
              setDraft(value);
            }}
          >
            <Shape value={value} />
          </UnstyledButton>
        ) : (
          <Shape value={value} />
        )}
      </NumberCell>
      <Table.Td title={changed_at}>
        {changed_by.name}, {instantText(changed_at)}
        <Text size="xs" c="dimmed">
          {SOURCES_OF_VALUES[source]}
        </Text>
      </Table.Td>
      {mayRemove && (
        <Table.Td>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove the value of ${name}`}
            onClick={() => {
              save(null);
            }}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Table.Td>
      )}
    </Table.Tr>
  );
};
