import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { PageLink } from '../shared/page-link.tsx';
import { Dimmed } from '../shared/dimmed.tsx';

/** The name of a metric at the start of its row, with a link to its page. */
export const MetricHead = ({ metric: { id, name } }: { metric: { id: string; name: string } }): ReactNode => (
  <Table.Th scope="row">
    <PageLink to="/business-metrics/$id" params={{ id }}>
      {name}
    </PageLink>
  </Table.Th>
);

/** A cell in place of the numbers of a metric, if the key may not see them. */
export const HiddenNumbers = ({ columns }: { columns: number }): ReactNode => (
  <Table.Td colSpan={columns}>
    <Dimmed>Revenue. Only admins see its numbers.</Dimmed>
  </Table.Td>
);
