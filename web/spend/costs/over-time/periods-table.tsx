import { Button, Center, Table, UnstyledButton } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Money } from '../../../shared/amounts.tsx';
import { MoneyCell } from '../../../shared/tables/amount-cells.tsx';
import type { StackedPeriod, StackedSeries } from '../../../shared/charts/stacked-series.ts';
import { DataTable, RowHead } from '../../../shared/tables/data-table.tsx';
import { TableHead } from '../../../shared/tables/table-head.tsx';
import { sumOf } from '../../../shared/sums.ts';

const PAGE = 31;

/** The numbers of the chart: a line for each day or month, a column for each series. */
export function PeriodsTable({
  data,
  series,
  label,
  total,
  onPick,
}: {
  data: readonly StackedPeriod[];
  series: readonly StackedSeries[];
  label: string;
  total: number;
  onPick: (period: string) => void;
}): ReactNode {
  const [shown, setShown] = useState(PAGE);
  const of = (name: string): number => sumOf(data.map(({ values }) => values[name] ?? 0));
  return (
    <>
      <DataTable label={label} minWidth={160 + 120 * series.length}>
        <TableHead
          columns={['Period', ...series.map(({ label: text }) => ({ numbers: text })), { numbers: 'Total' }]}
        />
        <Table.Tbody>
          {data.slice(0, shown).map(({ period, values }) => (
            <Table.Tr key={period}>
              <RowHead>
                <UnstyledButton
                  fz="sm"
                  c="var(--mantine-color-anchor)"
                  aria-label={`Show only ${period}`}
                  onClick={() => {
                    onPick(period);
                  }}
                >
                  {period}
                </UnstyledButton>
              </RowHead>
              {series.map(({ name }) => (
                <MoneyCell key={name} value={values[name]} reason="no spend" />
              ))}
              <MoneyCell value={sumOf(Object.values(values).map((value) => value ?? 0))} />
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th scope="row">Total</Table.Th>
            {series.map(({ name }) => (
              <Table.Th key={name} ta="right">
                <Money value={of(name)} />
              </Table.Th>
            ))}
            <Table.Th ta="right">
              <Money value={total} />
            </Table.Th>
          </Table.Tr>
        </Table.Tfoot>
      </DataTable>
      {data.length > shown && (
        <Center mt="sm">
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              setShown(shown + PAGE);
            }}
          >
            Show more ({data.length - shown} left)
          </Button>
        </Center>
      )}
    </>
  );
}
