import { Badge, Group, Stack, Table } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { ShownMetric } from '../metrics/metric-queries.ts';
import { useSession } from '../http/session.ts';
import { Change } from '../shared/amounts.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { DataTable, NumberCell } from '../shared/tables/data-table.tsx';
import { sentence, Sentences } from '../shared/sentences.tsx';
import { isBeforeFirstSpend } from '../../domain/months/before-first-spend.ts';
import { MonthDoubts } from './doubts/month-doubts.tsx';
import { reasonBesideDoubts } from './doubts/reason-beside-doubts.ts';
import { LockMonth, type LockState } from './lock-month.tsx';
import { STATUSES, type Month } from './month-numbers.ts';
import { MonthVersions } from './month-versions.tsx';
import { Cost, Ratio, Value } from './numbers.tsx';
import { TableHead } from '../shared/tables/table-head.tsx';

/** The last twelve months of a metric: numbers, state with its reasons, and what can be done. */
export function MonthsTable({ metric }: { metric: ShownMetric }): ReactNode {
  const isRevenue = metric.kind === 'revenue';
  return (
    <DataTable label="Months" minWidth={780}>
      <TableHead
        columns={[
          'Month',
          { numbers: 'Cost' },
          { numbers: isRevenue ? 'Revenue' : 'Value' },
          { numbers: isRevenue ? 'Cost share' : 'Unit cost' },
          { numbers: 'Change' },
          'Status',
        ]}
      />
      <Table.Tbody>
        {metric.months.map((month) => (
          <MonthRow
            key={month.month}
            metric={metric}
            month={month}
            isAwaited={!isBeforeFirstSpend(month, metric.months)}
          />
        ))}
      </Table.Tbody>
    </DataTable>
  );
}

interface Row {
  metric: ShownMetric;
  month: Month;
  /** Whether anybody expects numbers of it. Otherwise its doubts do not show. */
  isAwaited: boolean;
}

const MonthRow = ({ metric, month, isAwaited }: Row): ReactNode => (
  <Table.Tr style={{ verticalAlign: 'top' }}>
    <Table.Th scope="row" className="unbroken">
      {month.month}
    </Table.Th>
    <NumberCell>
      <Cost numbers={month} reason={isAwaited ? month.reason : null} />
    </NumberCell>
    <NumberCell>
      <Value numbers={month} />
    </NumberCell>
    <NumberCell>
      <Group gap={6} justify="flex-end" wrap="nowrap">
        {month.above_target && (
          <Badge color="red" size="sm">
            Above target
          </Badge>
        )}
        <Ratio numbers={month} reason={isAwaited ? month.reason : null} />
      </Group>
    </NumberCell>
    <NumberCell>
      <Change value={month.change_percent} reason="the month before has nothing to compare with" />
      {month.change_basis === 'same_days' && month.change_percent !== null && (
        <Dimmed size="xs">same days</Dimmed>
      )}
    </NumberCell>
    <Table.Td>
      <Status metric={metric} month={month} isAwaited={isAwaited} />
    </Table.Td>
  </Table.Tr>
);

function Status({ metric, month, isAwaited }: Row): ReactNode {
  const { may, has } = useSession();
  const { name, color } = STATUSES[month.status];
  const [lock, setLock] = useState<LockState>('closed');
  const mayLock = may('admin') && (metric.kind === 'count' || has('revenue'));
  const reason = reasonBesideDoubts(month.reason, month.missing);
  return (
    <Stack gap={4} align="flex-start">
      <Group gap="xs">
        <Badge color={color}>{name}</Badge>
        {mayLock && <LockMonth metric={metric} month={month} state={lock} onChange={setLock} />}
        {month.version !== null && <MonthVersions metric={metric} month={month} />}
      </Group>
      {reason !== null && (
        <Dimmed size="xs" maw={420}>
          {sentence(reason)}
        </Dimmed>
      )}
      {isAwaited && month.missing.length > 0 && (
        <MonthDoubts
          metric={metric}
          month={month}
          accept={
            mayLock && month.can_lock === 'without_missing'
              ? () => {
                  setLock('accepting');
                }
              : null
          }
        />
      )}
      <Sentences size="xs" c="dimmed" maw={420} words={month.notes} />
    </Stack>
  );
}
