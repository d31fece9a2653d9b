import { Table } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Card } from '../../shared/card.tsx';
import { ColumnHead, DataTable } from '../../shared/tables/data-table.tsx';
import { ShowMore } from '../../shared/tables/show-more.tsx';
import { Answer, Empty } from '../../shared/states.tsx';
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
  return (
    <Card title="Audit log">
      <AuditFilters filter={filter} keys={keys} records={query.data ?? []} onChange={filterBy} />
      <Answer query={query} height={400}>
        {(records) =>
          records.length === 0 ? (
            <Empty>No record is within these filters.</Empty>
          ) : (
            <>
              <DataTable label="Records of the audit log" minWidth={720}>
                <Table.Thead>
                  <Table.Tr>
                    <ColumnHead>When</ColumnHead>
                    <ColumnHead>Who</ColumnHead>
                    <ColumnHead>What</ColumnHead>
                    <ColumnHead>Details</ColumnHead>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  <Rows
                    records={records}
                    names={namesOf([...records, ...metrics], keys)}
                    onFilter={filterBy}
                  />
                </Table.Tbody>
              </DataTable>
              <ShowMore of={query} />
            </>
          )
        }
      </Answer>
    </Card>
  );
}

const Rows = ({
  records,
  names,
  onFilter,
}: {
  records: readonly AuditRecord[];
  names: ReadonlyMap<string, string>;
  onFilter: (filter: AuditFilter) => void;
}): ReactNode =>
  records.map((record) => (
    <AuditRow
      key={record.id}
      record={record}
      names={names}
      onTarget={(target) => {
        onFilter({ target });
      }}
    />
  ));

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
