import { Group, Table, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf } from '../../http/api.ts';
import { useSession } from '../../http/session.ts';
import { Card } from '../../shared/card.tsx';
import { Answer } from '../../shared/states.tsx';
import { ListTable } from '../../shared/tables/list-table.tsx';
import { PickList } from '../../spend/picks/pick-list.tsx';
import { DeleteButton } from '../delete-button.tsx';
import { labelledMetricsQuery, sharedCostsQuery, teamsQuery, type SharedCost } from '../team-queries.ts';
import { EditSharedCost, NewSharedCost } from './shared-cost-dialog.tsx';
import { namesOf, splitWords, type Names } from './split-words.ts';

/** The costs that teams share, with what they cover and how they are split. */
export function SharedCosts(): ReactNode {
  const { may } = useSession();
  const teams = useQuery(teamsQuery);
  return (
    <Card title="Shared costs" minHeight={240} actions={may('admin') ? <NewSharedCost /> : undefined}>
      <Answer query={teams} height={160}>
        {(all) => <CostsOfTeams teams={namesOf(all)} />}
      </Answer>
    </Card>
  );
}

function CostsOfTeams({ teams }: { teams: Names }): ReactNode {
  const { may } = useSession();
  const query = useInfiniteQuery(sharedCostsQuery);
  const { data: metrics = [] } = useQuery({
    ...labelledMetricsQuery,
    enabled: query.data?.some(({ split }) => split.type === 'metric') ?? false,
  });
  const metricNames = namesOf(metrics);
  return (
    <ListTable
      query={query}
      height={160}
      empty="A shared cost is spend that no team owns alone. It is split over teams and becomes a part of their bills. There is none yet."
      label="Every shared cost"
      minWidth={760}
      verticalSpacing="sm"
      columns={['Name', 'Spend', 'Split', may('admin') && 'Actions']}
    >
      {(cost) => (
        <Table.Tr key={cost.id} style={{ verticalAlign: 'top' }}>
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
      )}
    </ListTable>
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
