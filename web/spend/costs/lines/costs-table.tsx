import { Table, TextInput, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { useDeferredValue, useMemo, type ReactNode } from 'react';
import { Card } from '../../../shared/card.tsx';
import type { StackedSeries } from '../../../shared/charts/stacked-series.ts';
import { DataTable } from '../../../shared/tables/data-table.tsx';
import { Empty } from '../../../shared/states.tsx';
import { isLong, LongBody } from '../../../shared/tables/long-body.tsx';
import { AmountAndShare, LineRow, LINE_HEIGHT } from './cost-line-row.tsx';
import { linesOf, type CostLine, type CostPart } from './cost-lines.ts';
import type { CostRange } from '../cost-range.ts';
import { GROUPS, type CostOrder } from '../costs-search.ts';
import { DownloadMenu } from '../download-menu.tsx';
import { useFinerParts } from './use-finer-parts.ts';

const route = getRouteApi('/signed-in/costs');

interface Shown {
  range: CostRange;
  parts: readonly CostPart[];
  series: readonly StackedSeries[];
  total: number;
}

/** Every part of the spend with its share. A part opens to finer ones. The last row is the total of the API. */
export function CostsTable({ range, parts, series, total }: Shown): ReactNode {
  const { by, then, q, order } = route.useSearch();
  const navigate = route.useNavigate();
  const finerOfPart = useFinerParts(range, parts);
  const wanted = useDeferredValue(q);
  const { lines, found } = linesOf(parts, finerOfPart, { q: wanted, order });
  const title = `By ${GROUPS[by].toLowerCase()}${then === undefined ? '' : `, then by ${GROUPS[then].toLowerCase()}`}`;
  return (
    <Card
      title={title}
      actions={
        <>
          <TextInput
            aria-label="Find a name"
            placeholder="Find a name"
            size="xs"
            value={q}
            onChange={({ currentTarget: { value } }) => {
              void navigate({
                search: (before) => ({ ...before, q: value }),
                replace: true,
                resetScroll: false,
              });
            }}
          />
          <DownloadMenu
            range={range}
            keys={then === undefined ? [by] : [by, then]}
            what={`spend ${title.toLowerCase()}`}
          />
        </>
      }
    >
      {lines.length === 0 ? (
        <Empty>Nothing has this in its name.</Empty>
      ) : (
        <Lines
          lines={lines}
          series={series}
          total={total}
          found={wanted.trim() === '' ? null : found}
          title={title}
        />
      )}
    </Card>
  );
}

function Lines({
  lines,
  series,
  total,
  found,
  title,
}: {
  lines: readonly CostLine[];
  series: readonly StackedSeries[];
  total: number;
  found: number | null;
  title: string;
}): ReactNode {
  const { by } = route.useSearch();
  const colors = useMemo(() => new Map(series.map(({ name, color }) => [name, color])), [series]);
  return (
    <DataTable
      label={`Spend ${title.toLowerCase()}`}
      minWidth={480}
      aria-rowcount={lines.length + 2}
      isLong={isLong(lines.length)}
    >
      <Table.Thead>
        <Table.Tr>
          <SortHead name={GROUPS[by]} up="name-up" down="name-down" first="name-up" />
          <SortHead name="Cost" up="total-up" down="total-down" first="total-down" numbers />
          <Table.Th scope="col" ta="right" w={140}>
            Share of total
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <LongBody
        items={lines}
        rowHeight={LINE_HEIGHT}
        columns={3}
        row={(line, index) => (
          <LineRow
            key={lineId(line)}
            line={line}
            position={index + 2}
            total={total}
            colors={colors}
            isLong={isLong(lines.length)}
          />
        )}
      />
      <Table.Tfoot>
        {found !== null && <SumRow name="Found" value={found} total={total} />}
        <SumRow name="Total" value={total} total={total} />
      </Table.Tfoot>
    </DataTable>
  );
}

const lineId = (line: CostLine): string =>
  line.kind === 'part'
    ? line.part.key.id
    : `${line.under.key.id} ${line.kind} ${line.kind === 'finer' ? line.part.key.id : ''}`;

const SumRow = ({ name, value, total }: { name: string; value: number; total: number }): ReactNode => (
  <Table.Tr fw={600}>
    <Table.Th scope="row">{name}</Table.Th>
    <AmountAndShare amount={value} total={total} />
  </Table.Tr>
);

/** The heading of a column that orders the table, first one way and then the other. */
function SortHead({
  name,
  up,
  down,
  first,
  numbers = false,
}: {
  name: string;
  up: CostOrder;
  down: CostOrder;
  first: CostOrder;
  numbers?: boolean;
}): ReactNode {
  const { order } = route.useSearch();
  const navigate = route.useNavigate();
  const sorted = order === up ? 'ascending' : order === down ? 'descending' : 'none';
  const Icon = { ascending: IconArrowUp, descending: IconArrowDown, none: IconArrowsSort }[sorted];
  const next = sorted === 'none' ? first : order === up ? down : up;
  return (
    <Table.Th scope="col" ta={numbers ? 'right' : 'left'} aria-sort={sorted} {...(numbers && { w: 160 })}>
      <UnstyledButton
        fz="sm"
        fw={700}
        mih={24}
        onClick={() => {
          void navigate({
            search: (before) => ({ ...before, order: next }),
            replace: true,
            resetScroll: false,
          });
        }}
      >
        {name} <Icon size={14} aria-hidden style={{ verticalAlign: 'middle' }} />
      </UnstyledButton>
    </Table.Th>
  );
}
