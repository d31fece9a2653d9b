import { Table, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { MoneyCell, QuantityCell } from '../../shared/tables/amount-cells.tsx';
import { RowHead } from '../../shared/tables/data-table.tsx';
import { ListCard } from '../../shared/tables/list-card.tsx';
import { instantText } from '../../shared/instant.tsx';
import { RunDetails } from './run-details.tsx';
import { monthsText, tookText } from './run-texts.ts';
import { RunStatus } from './run-words.tsx';
import { runsQuery, type CostSource, type Run } from '../sources-queries.ts';
import { useCurrentRun } from './use-current-run.ts';

const route = getRouteApi('/signed-in/sources/$id');

/** In the address: no run is open. */
const NO_RUN = 'none';
const COLUMNS = 10;
const EARLIER = 'an earlier version did not count them';

/** What each run of a source did, newest first. A run opens to its notes, rejected rows and changes. */
export function RunsCard({ source }: { source: CostSource }): ReactNode {
  const query = useInfiniteQuery(runsQuery(source.id));
  const current = useCurrentRun(source);
  const { run: open = query.data?.[0]?.run_id } = route.useSearch();
  return (
    <ListCard
      title="Runs"
      minHeight={200}
      query={query}
      height={200}
      empty="The source has not run yet. It runs daily, unless its schedule is paused."
      label="List of runs"
      minWidth={1120}
      columns={[
        'Started',
        'Status',
        'Took',
        'Months',
        { numbers: 'Files read' },
        { numbers: 'Unchanged' },
        { numbers: 'Rows read' },
        { numbers: 'Rejected' },
        { numbers: 'Left out' },
        { numbers: 'Cost' },
      ]}
    >
      {(read) => {
        const run = read.run_id === current?.run_id ? current : read;
        return (
          <Fragment key={run.run_id}>
            <RunRow run={run} isOpen={run.run_id === open} />
            {run.run_id === open && (
              <Table.Tr>
                <Table.Td colSpan={COLUMNS} pl="xl" pb="md">
                  <RunDetails run={run} />
                </Table.Td>
              </Table.Tr>
            )}
          </Fragment>
        );
      }}
    </ListCard>
  );
}

function RunRow({ run, isOpen }: { run: Run; isOpen: boolean }): ReactNode {
  const navigate = route.useNavigate();
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  const underWay = run.status === 'running' ? 'the run is under way' : 'the run did not get that far';
  return (
    <Table.Tr>
      <RowHead>
        <UnstyledButton
          fz="sm"
          mih={24}
          aria-expanded={isOpen}
          onClick={() => {
            void navigate({
              search: { run: isOpen ? NO_RUN : run.run_id },
              replace: true,
              resetScroll: false,
            });
          }}
        >
          <Chevron size={14} aria-hidden style={{ verticalAlign: 'middle' }} /> {instantText(run.started_at)}
        </UnstyledButton>
      </RowHead>
      <Table.Td>
        <RunStatus status={run.status} />
      </Table.Td>
      <Table.Td>{tookText(run)}</Table.Td>
      <Table.Td>{monthsText(run.months)}</Table.Td>
      <QuantityCell value={run.files_read} reason={EARLIER} />
      <QuantityCell value={run.files_unchanged} reason={EARLIER} />
      <QuantityCell value={run.rows_read} />
      <QuantityCell value={run.rows_rejected} />
      <QuantityCell value={run.rows_left_out} reason={underWay} />
      <MoneyCell value={run.cost_total} reason={underWay} />
    </Table.Tr>
  );
}
