import { ActionIcon, Group, ScrollArea, Select, Stack, Table, TextInput } from '@mantine/core';
import { useDebouncedValue, useInputState } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { MoneyCell } from '../../shared/tables/amount-cells.tsx';
import { RowHead } from '../../shared/tables/data-table.tsx';
import { Answer, Empty } from '../../shared/states.tsx';
import { Collected } from './collected.tsx';
import { keyOf, optionsQuery, type Pick } from './spend-queries.ts';
import { ShowMore } from '../../shared/tables/show-more.tsx';
import { TableHead } from '../../shared/tables/table-head.tsx';

const TYPING_MS = 250;
const LIST_HEIGHT = 360;
const UNKNOWN = 'not known before the next load';

const SOURCES: { value: Pick['source']; label: string }[] = [
  { value: 'cloud', label: 'Cloud' },
  { value: 'kubernetes', label: 'Kubernetes' },
  { value: 'host', label: 'Hosts' },
  { value: 'repository', label: 'Repositories' },
];

/** What can be picked, to search and to add, dearest first. */
export function SpendOptions({
  chosen,
  withIdle,
  add,
}: {
  chosen: readonly Pick[];
  withIdle: boolean;
  add: (pick: Pick) => void;
}): ReactNode {
  const [source, setSource] = useState<Pick['source'] | null>(null);
  const [q, setQ] = useInputState('');
  const [typed] = useDebouncedValue(q.trim(), TYPING_MS);
  const query = useInfiniteQuery(optionsQuery(source, typed));
  const taken = new Set(chosen.map(keyOf));
  return (
    <Stack gap="xs">
      <Group align="flex-end">
        <TextInput
          label="Find spend"
          placeholder="Account, service, namespace, tag …"
          flex={1}
          miw={200}
          value={q}
          onChange={setQ}
        />
        <Select label="Kind" placeholder="All" clearable data={SOURCES} value={source} onChange={setSource} />
      </Group>
      <Answer query={query} height={LIST_HEIGHT}>
        {(all) => {
          const options = all.filter(({ pick }) => withIdle || !('idle' in pick));
          if (options.length === 0)
            return <Empty>Nothing was found. Spend appears here once it has been ingested.</Empty>;
          return (
            <ScrollArea.Autosize
              mah={LIST_HEIGHT}
              type="auto"
              viewportProps={{ tabIndex: 0, 'aria-label': 'What can be chosen' }}
            >
              <Table aria-label="What can be chosen">
                <TableHead
                  columns={[
                    'Add',
                    'What',
                    'Collected',
                    { numbers: `Cost in ${options[0]?.month ?? 'a month'}` },
                  ]}
                />
                <Table.Tbody>
                  {options.map(({ pick, name, cost, collected_from }) => (
                    <Table.Tr key={keyOf(pick)}>
                      <Table.Td>
                        <ActionIcon
                          variant="light"
                          aria-label={`Add ${name}`}
                          disabled={taken.has(keyOf(pick))}
                          onClick={() => {
                            add(pick);
                          }}
                        >
                          <IconPlus size={16} aria-hidden />
                        </ActionIcon>
                      </Table.Td>
                      <RowHead>{name}</RowHead>
                      <Table.Td>
                        <Collected from={collected_from} />
                      </Table.Td>
                      <MoneyCell value={cost} reason={UNKNOWN} />
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
              <ShowMore of={query} />
            </ScrollArea.Autosize>
          );
        }}
      </Answer>
    </Stack>
  );
}
