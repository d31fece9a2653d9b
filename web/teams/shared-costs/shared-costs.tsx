import { Group, Table, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf } from '../../http/api.ts';
import { useSession } from '../../http/session.ts';
import { Card } from '../../shared/card.tsx';
import { ColumnHead, DataTable } from '../../shared/tables/data-table.tsx';
import { ShowMore } from '../../shared/tables/show-more.tsx';
import { Answer, Empty } from '../../shared/states.tsx';
import { PickList } from '../../spend/picks/pick-list.tsx';
import { DeleteButton } from '../delete-button.tsx';
import { labelledMetricsQuery, sharedCostsQuery, teamsQuery, type SharedCost } from '../team-queries.ts';
import { EditSharedCost, NewSharedCost } from './shared-cost-dialog.tsx';
import { namesOf, splitWords, type Names } from './split-words.ts';

/** The costs that teams share, with what they cover and how they are split. */
export function SharedCosts(): ReactNode {
  const { may } = useSession();
  const pages = useInfiniteQuery(sharedCostsQuery);
  const teams = useQuery(teamsQuery);
  const costs = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Card title="Shared costs" minHeight={240} actions={may('admin') ? <NewSharedCost /> : undefined}>
      <Answer query={pages} height={160}>
        {() =>
          costs.length === 0 ? (
            <Empty>
              A shared cost is spend that no team owns alone. It is split over teams and becomes a part of
              their bills. There is none yet.
            </Empty>
          ) : (
            <Answer query={teams} height={160}>
              {(all) => (
                <>
                  <SharedCostsTable costs={costs} teams={namesOf(all)} />
                  <ShowMore of={pages} />
                </>
              )}
            </Answer>
          )
        }
      </Answer>
    </Card>
  );
}

function SharedCostsTable({ costs, teams }: { costs: readonly SharedCost[]; teams: Names }): ReactNode {
  const { may } = useSession();
  const { data: metrics = [] } = useQuery({
    ...labelledMetricsQuery,
    enabled: costs.some(({ split }) => split.type === 'metric'),
  });
  const metricNames = namesOf(metrics);
  return (
    <DataTable label="Every shared cost" minWidth={760} verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <ColumnHead>Name</ColumnHead>
          <ColumnHead>Spend</ColumnHead>
          <ColumnHead>Split</ColumnHead>
          {may('admin') && <ColumnHead>Actions</ColumnHead>}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody style={{ verticalAlign: 'top' }}>
        {costs.map((cost) => (
          <Table.Tr key={cost.id}>
            <Table.Th scope="row">{cost.name}</Table.Th>
            <Table.Td>
              <PickList picks={cost.spend} />
            </Table.Td>
            <Table.Td>
              <Text size="sm">{splitWords(cost.split, teams, metricNames)}</Text>
            </Table.Td>
            {may('admin') && (
              <Table.Td>
                <Actions cost={cost} />
              </Table.Td>
            )}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </DataTable>
  );
}

const Actions = ({ cost }: { cost: SharedCost }): ReactNode => (
  <Group gap="xs" wrap="nowrap">
    <EditSharedCost cost={cost} />
    <DeleteButton
      name={cost.name}
      what="shared cost"
      send={(signal) =>
        dataOf(api.DELETE('/api/v1/shared-costs/{id}', { params: { path: { id: cost.id } }, signal }))
      }
    >
      Its spend falls back to the teams that own it. What no team owns becomes unallocated. Sealed bills keep
      their parts of it, except those of months that follow today.
    </DeleteButton>
  </Group>
);
