import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** What is known about one thing, a line each. */
export const Facts = ({ label, children }: { label: string; children: ReactNode }): ReactNode => (
  <Table aria-label={label} variant="vertical" layout="auto" withRowBorders={false}>
    <Table.Tbody>{children}</Table.Tbody>
  </Table>
);

export const Fact = ({ name, children }: { name: string; children: ReactNode }): ReactNode => (
  <Table.Tr>
    <Table.Th scope="row" w={150}>
      {name}
    </Table.Th>
    <Table.Td>
      <Text component="div" size="sm" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Table.Td>
  </Table.Tr>
);
