import { Group, Table, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { SPEND_SOURCES } from '../../domain/sources/spend-sources.ts';
import { useSession } from '../http/session.ts';
import { PageLink } from '../shared/page-link.tsx';
import { MoneyCell } from '../shared/tables/amount-cells.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { Change, Money } from '../shared/amounts.tsx';
import { firstDay, monthOf } from '../shared/calendar.ts';
import { Card } from '../shared/card.tsx';
import { DataTable, NumberCell, RowHead } from '../shared/tables/data-table.tsx';
import { Answer, Empty } from '../shared/states.tsx';
import type { MonthSpend, SameDays } from './month-spend.ts';
import { monthSpendQuery } from './month-spend-query.ts';
import { SOURCE_NAMES } from '../spend/source-names.ts';
import { NewSource, SendFile } from '../sources/new-source.tsx';
import { sourcesQuery } from '../sources/sources-queries.ts';
import { TableHead } from '../shared/tables/table-head.tsx';

const NOTHING_BEFORE = 'nothing was spent on the same days of the month before';

/** Spend of the running month against the same days of the month before, in all and by source. */
export function MonthSpendCard(): ReactNode {
  const { today } = useSession();
  const query = useQuery(monthSpendQuery(today));
  return (
    <Card
      title="Spend this month"
      minHeight={296}
      actions={
        <PageLink fz="sm" to="/costs" search={{ start: firstDay(monthOf(today)), end: today }}>
          See costs
        </PageLink>
      }
    >
      <Answer query={query} height={220}>
        {(spend) => (spend.through === null ? <Nothing /> : <Spend spend={spend} />)}
      </Answer>
    </Card>
  );
}

function Nothing(): ReactNode {
  const { may } = useSession();
  const { data: sources } = useInfiniteQuery(sourcesQuery);
  return sources?.length === 0 && may('admin') ? (
    <Empty
      action={
        <Group gap="xs" justify="center">
          <NewSource />
          <SendFile />
        </Group>
      }
    >
      There is no spend yet. Connect a cloud bill, a cluster, hosts or AI tools, or send a file with costs.
    </Empty>
  ) : (
    <Empty action={<PageLink to="/sources">See the sources</PageLink>}>
      No spend of this month has arrived yet.
    </Empty>
  );
}

const Spend = ({ spend: { through, isComplete, total, bySource } }: { spend: MonthSpend }): ReactNode => (
  <>
    <Group align="baseline" gap="sm">
      <Text fz="h1" fw={600}>
        <Money value={total.now} />
      </Text>
      <Text size="sm">
        <Change value={total.change_percent} reason={NOTHING_BEFORE} /> against the same days of last month
      </Text>
    </Group>
    <Dimmed mb="xs">
      Through {through}, {isComplete ? 'delivered by every source' : 'not yet delivered by every source'}
    </Dimmed>
    <DataTable label="Spend this month by source" minWidth={320}>
      <TableHead
        columns={[
          'Source',
          { numbers: 'This month' },
          { numbers: 'Same days before' },
          { numbers: 'Change' },
        ]}
      />
      <Table.Tbody>
        {SPEND_SOURCES.map((source) => (
          <SourceRow key={source} name={SOURCE_NAMES[source]} spend={bySource[source]} />
        ))}
      </Table.Tbody>
    </DataTable>
  </>
);

const SourceRow = ({ name, spend }: { name: string; spend: SameDays }): ReactNode => (
  <Table.Tr>
    <RowHead>{name}</RowHead>
    <MoneyCell value={spend.now} />
    <MoneyCell value={spend.before} />
    <NumberCell>
      <Change value={spend.change_percent} reason={NOTHING_BEFORE} />
    </NumberCell>
  </Table.Tr>
);
