import { ActionIcon, Stack, Table, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Money } from '../../shared/amounts.tsx';
import { MoneyCell } from '../../shared/tables/amount-cells.tsx';
import { DataTable, RowHead } from '../../shared/tables/data-table.tsx';
import { Empty, Failure, Loading } from '../../shared/states.tsx';
import { Collected } from './collected.tsx';
import { keyOf, previewQuery, type Pick, type PickUser } from './spend-queries.ts';
import { SentencesAlert } from '../../shared/sentences.tsx';
import { TableHead } from '../../shared/tables/table-head.tsx';

/** The picks with their costs in the newest complete month. Without `onChange` they are only shown. */
export function ChosenSpend({
  value,
  onChange,
  user,
}: {
  value: readonly Pick[];
  onChange?: (picks: Pick[]) => void;
  user: PickUser;
}): ReactNode {
  const query = useQuery({ ...previewQuery(value, user), enabled: value.length > 0 });
  if (value.length === 0) return <Empty>Nothing is chosen yet.</Empty>;
  const { data: preview } = query;
  if (preview === undefined)
    return query.error === null ? (
      <Loading height={120} />
    ) : (
      <Failure error={query.error} retry={query.refetch} />
    );
  const known = new Map(preview.picks.map((pick) => [keyOf(pick.pick), pick]));
  return (
    <Stack gap="sm">
      <DataTable label="Chosen spend" minWidth={480}>
        <TableHead
          columns={[
            'Chosen',
            'Collected',
            { numbers: `Cost in ${preview.month ?? 'a month'}` },
            onChange !== undefined && 'Remove',
          ]}
        />
        <Table.Tbody>
          {value.map((pick) => {
            const shown = known.get(keyOf(pick));
            return (
              <Table.Tr key={keyOf(pick)}>
                <RowHead>{shown?.name ?? '…'}</RowHead>
                <Table.Td>
                  <Collected from={shown?.collected_from ?? null} />
                </Table.Td>
                <MoneyCell value={shown?.cost} reason="not known before the next load" />
                {onChange !== undefined && (
                  <Table.Td>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={`Remove ${shown?.name ?? 'this'}`}
                      onClick={() => {
                        onChange(value.filter((other) => other !== pick));
                      }}
                    >
                      <IconX size={16} aria-hidden />
                    </ActionIcon>
                  </Table.Td>
                )}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th scope="row">Together, each dollar once</Table.Th>
            <Table.Td />
            <MoneyCell value={preview.cost} reason="not known before the next load" />
            {onChange !== undefined && <Table.Td />}
          </Table.Tr>
        </Table.Tfoot>
      </DataTable>
      {preview.overlap !== null && preview.overlap !== 0 && (
        <Text size="sm">
          <Money value={preview.overlap} /> are in more than one of them, and count once.
        </Text>
      )}
      <SentencesAlert color="red" role="status" title="This cannot be saved" words={preview.conflicts} />
      <SentencesAlert color="yellow" role="status" title="Know before you save" words={preview.notes} />
    </Stack>
  );
}
