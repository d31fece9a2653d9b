import { ActionIcon, Box, Group, Skeleton, Table, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconInfoCircle } from '@tabler/icons-react';
import { memo, type ReactNode } from 'react';
import { messageOf } from '../../../http/api-error.ts';
import { Percent } from '../../../shared/amounts.tsx';
import { MoneyCell } from '../../../shared/tables/amount-cells.tsx';
import { Dimmed } from '../../../shared/dimmed.tsx';
import { SeriesSwatch } from '../../../shared/charts/series-swatch.tsx';
import { REST_COLOR } from '../../../shared/charts/series-colors.ts';
import { NumberCell } from '../../../shared/tables/data-table.tsx';
import type { CostKey } from './cost-keys.ts';
import type { CostLine, CostPart } from './cost-lines.ts';
import { partElementId } from './part-id.ts';
import { useOpenParts } from './use-open-parts.ts';

/** The height of a line in pixels, so that lines that are not drawn keep their room. */
export const LINE_HEIGHT = 42;

/** A line of the table: a part that opens, a finer part under it, or that finer parts are on their way. */
export const LineRow = memo(
  ({
    line,
    position,
    total,
    colors,
    isLong,
  }: {
    line: CostLine;
    position: number;
    total: number;
    /** The colours of parts in the chart. */
    colors: ReadonlyMap<string, string>;
    /** Whether names must keep to one line. */
    isLong: boolean;
  }): ReactNode => {
    if (line.kind === 'waiting') {
      return (
        <Table.Tr aria-rowindex={position} h={LINE_HEIGHT}>
          <Table.Td colSpan={3} pl={48}>
            {line.error === null ? (
              <Skeleton
                height={18}
                role="status"
                aria-label={`Loading the parts of ${line.under.key.name}`}
              />
            ) : (
              <Text size="sm" c="var(--mantine-color-error)" role="alert">
                {messageOf(line.error)}
              </Text>
            )}
          </Table.Td>
        </Table.Tr>
      );
    }
    const { part } = line;
    return (
      <Table.Tr aria-rowindex={position} h={LINE_HEIGHT}>
        <Table.Th scope="row" fw="normal" {...(line.kind === 'finer' && { pl: 48 })}>
          <Group gap={6} wrap="nowrap" miw={0}>
            {line.kind === 'part' ? (
              <PartButton
                part={part}
                isOpen={line.isOpen}
                color={colors.get(part.key.id) ?? REST_COLOR}
                isLong={isLong}
              />
            ) : (
              <Name name={part.key} isLong={isLong} />
            )}
            {part.key.reason !== null && <Reason reason={part.key.reason} />}
          </Group>
        </Table.Th>
        <AmountAndShare amount={part.total} total={total} />
      </Table.Tr>
    );
  },
);
LineRow.displayName = 'LineRow';

/** An amount and its share of the total, in two cells. */
export const AmountAndShare = ({ amount, total }: { amount: number; total: number }): ReactNode => (
  <>
    <MoneyCell value={amount} />
    <NumberCell>
      <Percent value={total === 0 ? null : (amount / total) * 100} reason="the total is 0" />
    </NumberCell>
  </>
);

function PartButton({
  part: { key },
  isOpen,
  color,
  isLong,
}: {
  part: CostPart;
  isOpen: boolean;
  color: string;
  isLong: boolean;
}): ReactNode {
  const { toggle } = useOpenParts();
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <UnstyledButton
      id={partElementId(key.id)}
      aria-expanded={isOpen}
      mih={24}
      miw={0}
      onClick={() => {
        toggle(key.id);
      }}
    >
      <Group component="span" gap={6} wrap="nowrap" miw={0}>
        <Chevron size={16} aria-hidden style={{ flexShrink: 0 }} />
        <SeriesSwatch color={color} />
        <Name name={key} isLong={isLong} />
      </Group>
    </UnstyledButton>
  );
}

const Name = ({ name: { name, detail, reason }, isLong }: { name: CostKey; isLong: boolean }): ReactNode => (
  <Box component="span" miw={0} fz="sm" title={name} style={isLong ? ONE_LINE : { overflowWrap: 'anywhere' }}>
    <Text span inherit fs={reason === null ? 'normal' : 'italic'}>
      {name}
    </Text>
    {detail !== null && (
      <Dimmed span size="xs">
        {' '}
        {detail}
      </Dimmed>
    )}
  </Box>
);

const ONE_LINE = { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' } as const;

const Reason = ({ reason }: { reason: string }): ReactNode => (
  <Tooltip label={reason} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
    <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Why not assigned: ${reason}`}>
      <IconInfoCircle size={16} aria-hidden />
    </ActionIcon>
  </Tooltip>
);
