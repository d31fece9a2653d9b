import { ActionIcon, Button, Code, Group, Table, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight, IconFilter } from '@tabler/icons-react';
import { useId, type ReactNode } from 'react';
import { Instant } from '../../shared/instant.tsx';
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
}): ReactNode => {
  const [opened, { toggle }] = useDisclosure();
  const id = useId();
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  return (
    <>
      <Table.Tr>
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
        <Table.Td>
          <Button
            size="compact-xs"
            variant="default"
            leftSection={<Chevron size={14} aria-hidden />}
            aria-expanded={opened}
            aria-controls={id}
            onClick={toggle}
          >
            Detail
          </Button>
        </Table.Td>
      </Table.Tr>
      <Table.Tr hidden={!opened} id={id}>
        <Table.Td colSpan={4}>
          <Text size="xs" c="dimmed" mb={4}>
            {record.action}, target {record.target}, record {record.id}
          </Text>
          <Code block>{JSON.stringify(record.detail, null, 2)}</Code>
        </Table.Td>
      </Table.Tr>
    </>
  );
};

const THROUGH = new Map<unknown, string>([
  ['assistant', 'through the assistant'],
  ['session', 'in a browser session'],
]);

const Actor = ({ of: { actor, detail } }: { of: AuditRecord }): ReactNode => {
  const through = THROUGH.get(detail['through']);
  return (
    <>
      {actor.type === 'operator'
        ? 'The operator'
        : actor.type === 'import'
          ? `Import from ${actor.name}`
          : actor.name}
      {through !== undefined && (
        <Text size="xs" c="dimmed">
          {through}
        </Text>
      )}
    </>
  );
};
