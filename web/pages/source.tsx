import { Anchor, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { Card } from '../shared/card.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { Answer } from '../shared/states.tsx';
import { sentence } from '../shared/words.ts';
import { DeleteSource, EditSource } from '../sources/edit-source.tsx';
import { RunNow } from '../sources/run-now.tsx';
import { RunWords } from '../sources/run-words.tsx';
import { RunsCard } from '../sources/runs-card.tsx';
import { SOURCE_KINDS } from '../sources/source-kinds.ts';
import { NOTHING_DELIVERED, sourceQuery, type CostSource } from '../sources/sources-queries.ts';
import { UnitsCard } from '../sources/units/units-card.tsx';
import { useCurrentRun } from '../sources/use-current-run.ts';

const route = getRouteApi('/signed-in/sources/$id');

/** A source: where it reads, how its last run went, and what all runs did. */
export function SourcePage(): ReactNode {
  const { id } = route.useParams();
  const query = useQuery(sourceQuery(id));
  const back = <Anchor renderRoot={(props) => <Link to="/sources" {...props} />}>All sources</Anchor>;
  return (
    <>
      <PageTitle title={query.data?.name ?? 'Source'} about={back}>
        {query.data !== undefined && <Actions source={query.data} />}
      </PageTitle>
      <Answer query={query} height={260}>
        {(source) => (
          <Stack>
            <About source={source} />
            <UnitsCard source={source} />
            <RunsCard source={source} />
          </Stack>
        )}
      </Answer>
    </>
  );
}

function Actions({ source }: { source: CostSource }): ReactNode {
  const { may } = useSession();
  return (
    <Group gap="xs">
      {may('write') && <RunNow source={source} />}
      {may('admin') && <EditSource source={source} />}
      {may('admin') && <DeleteSource source={source} />}
    </Group>
  );
}

function About({ source }: { source: CostSource }): ReactNode {
  const run = useCurrentRun(source);
  return (
    <Card title="About" minHeight={220}>
      <Table aria-label="About this source" variant="vertical" layout="auto" withRowBorders={false}>
        <Table.Tbody>
          <Fact name="Kind">{SOURCE_KINDS[source.kind].label}</Fact>
          <Fact name="Location">{source.location}</Fact>
          {optionsOf(source).map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
          <Fact name="Schedule">
            {source.schedule_paused ? 'Paused. Its spend stays, and no month waits for it.' : 'Read daily'}
          </Fact>
          <Fact name="Starts on">
            {source.starts_on ?? 'Not known. Months wait for days before those that it delivers.'}
          </Fact>
          <Fact name="Delivered through">{source.delivered_through ?? sentence(NOTHING_DELIVERED)}</Fact>
          <Fact name="Last run">
            <RunWords run={run} />
          </Fact>
        </Table.Tbody>
      </Table>
    </Card>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }): ReactNode => (
  <Table.Tr>
    <Table.Th scope="row" w={150}>
      {name}
    </Table.Th>
    <Table.Td>
      <Text component="div" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Table.Td>
  </Table.Tr>
);

function optionsOf(source: CostSource): [name: string, value: string][] {
  switch (source.kind) {
    case 'focus':
      return [['Cost column', source.options.cost_column]];
    case 'opencost':
      return [
        ['Cluster', source.options.cluster ?? 'As its rows name it'],
        ['Assets', source.options.assets_location ?? 'From the OpenCost API, if the location is one'],
      ];
    case 'hosts':
      return [];
    case 'ai_tools':
      return [['Usage', source.options.usage_location]];
  }
}
