import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ListCard } from '../../shared/tables/list-card.tsx';
import { keyNamesQuery, type Key } from '../keys/keys-query.ts';
import { AuditFilters } from './audit-filters.tsx';
import { auditQuery, metricNamesQuery, type AuditFilter, type AuditRecord } from './audit-query.ts';
import { AuditRow } from './audit-row.tsx';

const route = getRouteApi('/signed-in/settings');

/** So long a filter rests before it is read, so that typing asks once. */
const RESTS_MS = 300;

/** Who did and saw what, newest first, by the filters of the address. */
export function AuditLog(): ReactNode {
  const { actor, action, target, start, end } = route.useSearch();
  const navigate = route.useNavigate();
  const filter: AuditFilter = { actor, action, target, start, end };
  // A text, because the hook compares by identity.
  const [rested] = useDebouncedValue(JSON.stringify(filter), RESTS_MS);
  const query = useInfiniteQuery(auditQuery(JSON.parse(rested) as AuditFilter));
  const { data: keys = [] } = useQuery(keyNamesQuery);
  const { data: metrics = [] } = useQuery(metricNamesQuery);
  const filterBy = (changes: AuditFilter): void => {
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  };
  const names = namesOf([...(query.data ?? []), ...metrics], keys);
  return (
    <ListCard
      title="Audit log"
      above={<AuditFilters filter={filter} keys={keys} records={query.data ?? []} onChange={filterBy} />}
      query={query}
      height={400}
      empty="No record is within these filters."
      label="Records of the audit log"
      minWidth={720}
      columns={['When', 'Who', 'What', 'Details']}
    >
      {(record) => (
        <AuditRow
          key={record.id}
          record={record}
          names={names}
          onTarget={(of) => {
            filterBy({ target: of });
          }}
        />
      )}
    </ListCard>
  );
}

/** Names by id: of keys, and of what the records name. Of two, the earlier in the list counts. */
const namesOf = (records: readonly AuditRecord[], keys: readonly Key[]): ReadonlyMap<string, string> =>
  new Map([
    ...records
      .toReversed()
      .flatMap(({ target, detail: { name } }): [string, string][] =>
        typeof name === 'string' ? [[target, name]] : [],
      ),
    ...keys.map(({ id, name }): [string, string] => [id, name]),
  ]);
