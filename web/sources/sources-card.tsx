import { Badge, Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { PageLink } from '../shared/page-link.tsx';
import { Missing } from '../shared/amounts.tsx';
import { ListCard } from '../shared/tables/list-card.tsx';
import { NewSource } from './new-source.tsx';
import { RunNow } from './runs/run-now.tsx';
import { RunWords } from './runs/run-words.tsx';
import { SOURCE_KINDS } from './source-kinds.ts';
import { NOTHING_DELIVERED, sourcesQuery, type CostSource } from './sources-queries.ts';
import { useCurrentRun } from './runs/use-current-run.ts';

/** Where spend comes from, how the last run of each source went, and how far it has delivered. */
export function SourcesCard(): ReactNode {
  const { may } = useSession();
  return (
    <ListCard
      title="Cost sources"
      minHeight={240}
      query={useInfiniteQuery(sourcesQuery)}
      height={320}
      empty="There is no source yet. A source is a cloud bill, a cluster, hosts, or AI tools."
      emptyAction={may('admin') ? <NewSource /> : undefined}
      label="List of cost sources"
      minWidth={860}
      columns={['Source', 'Kind', 'Last run', 'Delivered through', 'Schedule', may('write') && 'Run']}
    >
      {(source) => <SourceRow key={source.id} source={source} />}
    </ListCard>
  );
}

function SourceRow({ source }: { source: CostSource }): ReactNode {
  const { may } = useSession();
  const run = useCurrentRun(source);
  const { id, name, kind, schedule_paused: isPaused, delivered_through: delivered } = source;
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <PageLink to="/sources/$id" params={{ id }}>
          {name}
        </PageLink>
      </Table.Th>
      <Table.Td>{SOURCE_KINDS[kind].label}</Table.Td>
      <Table.Td maw={420}>
        <RunWords run={run} />
      </Table.Td>
      <Table.Td className="unbroken">{delivered ?? <Missing reason={NOTHING_DELIVERED} />}</Table.Td>
      <Table.Td>
        <Badge color={isPaused ? 'gray' : 'green'}>{isPaused ? 'paused' : 'daily'}</Badge>
      </Table.Td>
      {may('write') && (
        <Table.Td>
          <RunNow source={source} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}
