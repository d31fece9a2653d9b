import { Badge, Group, Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSession } from '../../http/session.ts';
import { Dimmed } from '../../shared/dimmed.tsx';
import { Instant } from '../../shared/instant.tsx';
import { ListCard } from '../../shared/tables/list-card.tsx';
import { CreateKey } from './create-key.tsx';
import { keysQuery, type Key } from './keys-query.ts';
import { RevokeKey } from './revoke-key.tsx';

/** The organisation's API keys: who may do what, since when, and until when. */
export const ApiKeys = (): ReactNode => (
  <ListCard
    title="API keys"
    actions={<CreateKey />}
    query={useInfiniteQuery(keysQuery)}
    empty="There is no key yet."
    label="List of API keys"
    minWidth={1000}
    columns={['Name', 'Permission', 'Created', 'Expires', 'Last used', 'Revoked']}
  >
    {(key) => <KeyRow key={key.id} of={key} />}
  </ListCard>
);

function KeyRow({ of: key }: { of: Key }): ReactNode {
  const session = useSession();
  const isPast = key.expires_at !== null && key.expires_at.slice(0, 10) < session.today;
  return (
    <Table.Tr c={key.revoked_at !== null || isPast ? 'dimmed' : undefined}>
      <Table.Th scope="row" miw={200}>
        <Group gap="xs">
          {key.name}
          {key.id === session.key.id && (
            <Badge size="sm" tt="none">
              this session
            </Badge>
          )}
        </Group>
      </Table.Th>
      <Table.Td>{key.permission}</Table.Td>
      <Table.Td>
        <Instant at={key.created_at} />
      </Table.Td>
      <Table.Td>
        {key.expires_at === null ? (
          <Dimmed span>never</Dimmed>
        ) : (
          <>
            <Instant at={key.expires_at} />
            {isPast && ', expired'}
          </>
        )}
      </Table.Td>
      <Table.Td>
        {key.last_used_at === null ? <Dimmed span>not yet</Dimmed> : <Instant at={key.last_used_at} />}
      </Table.Td>
      <Table.Td>
        {key.revoked_at === null ? <RevokeKey of={key} /> : <Instant at={key.revoked_at} />}
      </Table.Td>
    </Table.Tr>
  );
}
