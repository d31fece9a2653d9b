import { ActionIcon, Code, Group, Table } from '@mantine/core';
import { IconFilter } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Instant } from '../../shared/instant.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import { RowWithDetail } from '../../shared/tables/row-with-detail.tsx';
import type { AuditRecord } from './audit-query.ts';
import { AuditWords } from './audit-words.tsx';

/** A record of the audit log in words, with its detail on demand. */
export const AuditRow = ({
  record,
  names,
  onTarget,
}: {
  record: AuditRecord;
  names: ReadonlyMap<string, string>;
  onTarget: (target: string) => void;
}): ReactNode => (
  <RowWithDetail columns={4} detail={<Detail of={record} />}>
    <Table.Td>
      <Instant at={record.at} />
    </Table.Td>
    <Table.Td>
      <Actor of={record} />
    </Table.Td>
    <Table.Td>
      <Group gap="xs" wrap="nowrap">
        <div>
          <AuditWords record={record} names={names} />
        </div>
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          aria-label={`Only what was done to ${record.target}`}
          title="Only what was done to this"
          onClick={() => {
            onTarget(record.target);
          }}
        >
          <IconFilter size={14} aria-hidden />
        </ActionIcon>
      </Group>
    </Table.Td>
  </RowWithDetail>
);

const Detail = ({ of: { action, target, id, detail } }: { of: AuditRecord }): ReactNode => (
  <>
    <Dimmed size="xs" mb={4}>
      {action}, target {target}, record {id}
    </Dimmed>
    <Code block>{JSON.stringify(detail, null, 2)}</Code>
  </>
);

const THROUGH = new Map<unknown, string>([
  ['assistant', 'through the assistant'],
  ['session', 'in a browser session'],
]);

function Actor({ of: { actor, detail } }: { of: AuditRecord }): ReactNode {
  const through = THROUGH.get(detail['through']);
  return (
    <>
      {actor.type === 'operator'
        ? 'The operator'
        : actor.type === 'import'
          ? `Import from ${actor.name}`
          : actor.type === 'webhook'
            ? `The endpoint at ${actor.name}`
            : actor.name}
      {through !== undefined && <Dimmed size="xs">{through}</Dimmed>}
    </>
  );
}
