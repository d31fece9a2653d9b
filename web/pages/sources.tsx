import { Anchor, Badge, Stack, Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { Missing } from '../shared/amounts.tsx';
import { Card } from '../shared/card.tsx';
import { ColumnHead, DataTable } from '../shared/tables/data-table.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { ShowMore } from '../shared/tables/show-more.tsx';
import { Answer, Empty } from '../shared/states.tsx';
import { NewSource } from '../sources/edit-source.tsx';
import { RunNow } from '../sources/run-now.tsx';
import { RunWords } from '../sources/run-words.tsx';
import { SOURCE_KINDS } from '../sources/source-kinds.ts';
import { NOTHING_DELIVERED, sourcesQuery, type CostSource } from '../sources/sources-queries.ts';
import { useCurrentRun } from '../sources/use-current-run.ts';

/** Where spend comes from, how the last run of each source went, and how far it has delivered. */
export function SourcesPage(): ReactNode {
  const { may } = useSession();
  const query = useInfiniteQuery(sourcesQuery);
  return (
    <>
      <PageTitle title="Sources" about="Where spend comes from. The service reads each source daily.">
        {may('admin') && <NewSource />}
      </PageTitle>
      <Card title="Cost sources" minHeight={240}>
        <Answer query={query} height={320}>
          {({ pages }) => {
            const sources = pages.flatMap(({ data }) => data);
            return sources.length === 0 ? (
              <Empty action={may('admin') ? <NewSource /> : undefined}>
                There is no source yet. A source is a cloud bill, a cluster, hosts, or AI tools.
              </Empty>
            ) : (
              <Stack gap="sm">
                <Sources sources={sources} />
                <ShowMore of={query} />
              </Stack>
            );
          }}
        </Answer>
      </Card>
    </>
  );
}

function Sources({ sources }: { sources: readonly CostSource[] }): ReactNode {
  const { may } = useSession();
  return (
    <DataTable label="List of cost sources" minWidth={860}>
      <Table.Thead>
        <Table.Tr>
          <ColumnHead>Source</ColumnHead>
          <ColumnHead>Kind</ColumnHead>
          <ColumnHead>Last run</ColumnHead>
          <ColumnHead>Delivered through</ColumnHead>
          <ColumnHead>Schedule</ColumnHead>
          {may('write') && <ColumnHead>Run</ColumnHead>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sources.map((source) => (
          <SourceRow key={source.id} source={source} />
        ))}
      </Table.Tbody>
    </DataTable>
  );
}

function SourceRow({ source }: { source: CostSource }): ReactNode {
  const { may } = useSession();
  const run = useCurrentRun(source);
  const { id, name, kind, schedule_paused: isPaused, delivered_through: delivered } = source;
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <Anchor inherit renderRoot={(props) => <Link to="/sources/$id" params={{ id }} {...props} />}>
          {name}
        </Anchor>
      </Table.Th>
      <Table.Td>{SOURCE_KINDS[kind].label}</Table.Td>
      <Table.Td maw={420}>
        <RunWords run={run} />
      </Table.Td>
      <Table.Td className="unbroken">{delivered ?? <Missing reason={NOTHING_DELIVERED} />}</Table.Td>
      <Table.Td>
        <Schedule isPaused={isPaused} />
      </Table.Td>
      {may('write') && (
        <Table.Td>
          <RunNow source={source} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

const Schedule = ({ isPaused }: { isPaused: boolean }): ReactNode => (
  <Badge variant="dot" color={isPaused ? 'gray' : 'green'}>
    {isPaused ? 'paused' : 'daily'}
  </Badge>
);
