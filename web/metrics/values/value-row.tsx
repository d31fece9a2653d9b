import { ActionIcon, Table, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../http/api.ts';
import { Money, Quantity } from '../../shared/amounts.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import { NumberCell, RowHead } from '../../shared/tables/data-table.tsx';
import { instantText } from '../../shared/instant.tsx';
import type { MayChangeValues } from './may-change-values.ts';
import type { ShownMetric } from '../metric-queries.ts';
import type { ValueEdit } from './use-value-edits.ts';
import { ValueCell } from './value-cell.tsx';
import { SOURCES_OF_VALUES } from './value-sources.ts';

/** A value in the grid. Enter or a click opens its cell. */
export function ValueRow({
  metric,
  value: { period, label, value, reason, source, changed_by, changed_at },
  editable: { maySet, mayRemove },
  change,
}: {
  metric: ShownMetric;
  value: Schema<'Value'>;
  editable: MayChangeValues;
  change: (edit: ValueEdit) => Promise<void>;
}): ReactNode {
  const [isOpen, { open, close }] = useDisclosure();
  const Shape = metric.kind === 'revenue' ? Money : Quantity;
  const name = [period, label].filter((part) => part !== undefined).join(', ');
  const changeTo = (after: number | null): Promise<void> => change({ period, label, before: value, after });
  return (
    <Table.Tr>
      <RowHead>{period}</RowHead>
      {metric.label_key !== null && <Table.Td>{label}</Table.Td>}
      <NumberCell>
        {isOpen ? (
          <ValueCell name={name} kind={metric.kind} value={value} save={changeTo} close={close} />
        ) : maySet ? (
          <UnstyledButton
            fz="sm"
            aria-label={`Change the value of ${name}, now ${value ?? 'not known'}`}
            onClick={open}
          >
            <Shape value={value} reason={reason} />
          </UnstyledButton>
        ) : (
          <Shape value={value} reason={reason} />
        )}
      </NumberCell>
      <Table.Td title={changed_at}>
        {changed_by.name}, {instantText(changed_at)}
        <Dimmed size="xs">{SOURCES_OF_VALUES[source]}</Dimmed>
      </Table.Td>
      {mayRemove && (
        <Table.Td>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`Remove the value of ${name}`}
            onClick={() => {
              // A notification says why if it fails, and the row stays.
              changeTo(null).catch(() => undefined);
            }}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Table.Td>
      )}
    </Table.Tr>
  );
}
