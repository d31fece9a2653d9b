import { Button, Table } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId, type ReactNode } from 'react';

/** A row of a table with a button in its last cell, which opens the detail in a row beneath. */
export function RowWithDetail({
  columns,
  detail,
  children,
}: {
  /** How many columns the table has, with the one of the button. */
  columns: number;
  detail: ReactNode;
  children: ReactNode;
}): ReactNode {
  const [opened, { toggle }] = useDisclosure();
  const id = useId();
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  return (
    <>
      <Table.Tr>
        {children}
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
        <Table.Td colSpan={columns}>{opened && detail}</Table.Td>
      </Table.Tr>
    </>
  );
}
