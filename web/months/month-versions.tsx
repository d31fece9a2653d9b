import { Stack, Table, Text, Title } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf, type Schema } from '../http/api.ts';
import type { ShownMetric } from '../metrics/metric-queries.ts';
import { ChangesOfValues } from '../metrics/values/changes-of-values.tsx';
import { ColumnHead, DataTable, NumberCell } from '../shared/tables/data-table.tsx';
import { countText } from '../shared/numbers.ts';
import { DialogButton } from '../shared/forms/dialog-button.tsx';
import { Answer } from '../shared/states.tsx';
import { instantText } from '../shared/instant.tsx';
import { SentencesAlert } from '../shared/sentences.tsx';
import type { Month, Numbers } from './month-numbers.ts';
import { Cost, Ratio, Value } from './numbers.tsx';

type Version = Schema<'MonthVersion'> | Schema<'RevenueMonthVersion'>;

const versionsQuery = (id: string, month: string) =>
  queryOptions({
    queryKey: ['versions', id, month],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/v1/metrics/{id}/months/{month}/versions', { params: { path: { id, month } }, signal }),
      ),
  });

/** The button that shows the locked versions of a month side by side with today. */
export const MonthVersions = ({ metric, month }: { metric: ShownMetric; month: Month }): ReactNode => (
  <DialogButton
    button={countText(month.version ?? 0, 'version')}
    size="compact-xs"
    variant="subtle"
    aria-label={`Versions of ${month.month}`}
    title={`${metric.name} in ${month.month}`}
    isWide
  >
    {() => <Versions metric={metric} month={month} />}
  </DialogButton>
);

function Versions({ metric, month }: { metric: ShownMetric; month: Month }): ReactNode {
  const query = useQuery(versionsQuery(metric.id, month.month));
  return (
    <Answer query={query} height={160}>
      {(versions) => (
        <Stack>
          <SideBySide metric={metric} month={month} versions={versions} />
          {month.locked !== null && month.status === 'changed_since_lock' && (
            <section>
              <Title order={3} size="h4" mb="xs">
                Values changed since version {month.locked.version}
              </Title>
              <ChangesOfValues
                metric={metric}
                filter={{ start: month.month, end: month.month, since: month.locked.locked_at }}
              />
            </section>
          )}
        </Stack>
      )}
    </Answer>
  );
}

function SideBySide({
  metric,
  month,
  versions,
}: {
  metric: ShownMetric;
  month: Month;
  versions: readonly Version[];
}): ReactNode {
  const columns: { name: string; numbers: Numbers; version: Version | null }[] = [
    ...(month.current === undefined ? [] : [{ name: 'Today', numbers: month.current, version: null }]),
    ...versions.map((version) => ({
      name: `Version ${version.version}`,
      numbers: version,
      version,
    })),
  ];
  const isRevenue = metric.kind === 'revenue';
  const row = (name: string, cell: (column: (typeof columns)[number]) => ReactNode): ReactNode => (
    <Table.Tr>
      <Table.Th scope="row">{name}</Table.Th>
      {columns.map((column) => (
        <NumberCell key={column.name}>{cell(column)}</NumberCell>
      ))}
    </Table.Tr>
  );
  return (
    <>
      <DataTable label={`Versions of ${month.month}`} minWidth={200 + 160 * columns.length}>
        <Table.Thead>
          <Table.Tr>
            <Table.Td />
            {columns.map(({ name }) => (
              <ColumnHead key={name} numbers>
                {name}
              </ColumnHead>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {row('Cost', ({ numbers }) => (
            <Cost numbers={numbers} />
          ))}
          {row(isRevenue ? 'Revenue' : 'Value', ({ numbers }) => (
            <Value numbers={numbers} />
          ))}
          {row(isRevenue ? 'Cost share' : 'Unit cost', ({ numbers }) => (
            <Ratio numbers={numbers} />
          ))}
          {row('Locked', ({ version }) => (
            <Text size="sm">{version === null ? 'not yet' : instantText(version.locked_at)}</Text>
          ))}
          {row('By', ({ version }) => (
            <Text size="sm">{version?.locked_by.name ?? ''}</Text>
          ))}
        </Table.Tbody>
      </DataTable>
      {versions.map(({ version, missing }) => (
        <SentencesAlert
          key={version}
          color="orange"
          title={`Missing when version ${version} was locked`}
          words={missing}
        />
      ))}
    </>
  );
}
