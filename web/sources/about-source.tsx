import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Card } from '../shared/card.tsx';
import { sentence } from '../shared/words.ts';
import { RunWords } from './runs/run-words.tsx';
import { SOURCE_KINDS } from './source-kinds.ts';
import { NOTHING_DELIVERED, type CostSource } from './sources-queries.ts';
import { useCurrentRun } from './runs/use-current-run.ts';

/** What a source is and reads, and how its last run went. */
export function AboutSource({ source }: { source: CostSource }): ReactNode {
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
