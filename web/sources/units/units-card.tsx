import { Button, Group, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, dataOf } from '../../http/api.ts';
import { useSession } from '../../http/session.ts';
import { Missing } from '../../shared/amounts.tsx';
import { DialogButton } from '../../shared/forms/dialog-button.tsx';
import { useChange } from '../../shared/forms/use-change.ts';
import { ListCard } from '../../shared/tables/list-card.tsx';
import { Sentences } from '../../shared/sentences.tsx';
import { SPEND_CHANGES, type CostSource } from '../sources-queries.ts';
import { EndUnit } from './end-unit.tsx';
import { unitsQuery, type Unit } from './units-query.ts';

/** Rows that are shown at first, and added by each click. */
const PAGE = 100;

const BUTTON = { size: 'compact-xs', variant: 'default' } as const;

const NO_RHYTHM = 'it has only charges without a rhythm';

/** The accounts, clusters, hosts or tools of a source: their days, what is doubtful about them, and whether they have ended. */
export function UnitsCard({ source }: { source: CostSource }): ReactNode {
  const { may } = useSession();
  const query = useQuery(unitsQuery(source.id));
  const [shown, setShown] = useState(PAGE);
  const doubtful = (unit: Unit): number => Number(unit.doubts.length > 0);
  const units = query.data?.toSorted((one, other) => doubtful(other) - doubtful(one));
  return (
    <ListCard
      title="Accounts, clusters, hosts and tools"
      minHeight={140}
      query={{
        ...query,
        data: units?.slice(0, shown),
        hasNextPage: shown < (units?.length ?? 0),
        isFetchingNextPage: false,
        fetchNextPage: () => {
          setShown(shown + PAGE);
        },
      }}
      height={140}
      empty="Nothing has arrived yet."
      label="Units of the source"
      minWidth={720}
      columns={['Unit', 'First day', 'Last day', 'Missing', 'Doubts', may('admin') && 'Actions']}
    >
      {(unit) => <UnitRow key={unit.unit} sourceId={source.id} unit={unit} />}
    </ListCard>
  );
}

function UnitRow({ sourceId, unit }: { sourceId: string; unit: Unit }): ReactNode {
  const { may } = useSession();
  return (
    <Table.Tr>
      <Table.Th scope="row" style={{ overflowWrap: 'anywhere' }}>
        {unit.unit}
      </Table.Th>
      <Table.Td className="unbroken">{unit.first_day ?? <Missing reason={NO_RHYTHM} />}</Table.Td>
      <Table.Td className="unbroken">{unit.last_day ?? <Missing reason={NO_RHYTHM} />}</Table.Td>
      <Table.Td>{unit.missing.map(daysText).join(', ')}</Table.Td>
      <Table.Td maw={420}>
        {unit.ended_on !== null && <Text size="sm">Ended on {unit.ended_on}.</Text>}
        {unit.stands && <Text size="sm">Its charges are right beside others.</Text>}
        <Sentences words={unit.doubts} />
      </Table.Td>
      {may('admin') && (
        <Table.Td>
          <Actions sourceId={sourceId} unit={unit} />
        </Table.Td>
      )}
    </Table.Tr>
  );
}

const daysText = ({ start, end }: Unit['missing'][number]): string =>
  start === end ? start : `${start} to ${end}`;

function Actions({ sourceId, unit }: { sourceId: string; unit: Unit }): ReactNode {
  const { unit: name, ended_on, stands } = unit;
  const params = { path: { id: sourceId } };
  return (
    <Group gap="xs">
      {ended_on === null ? (
        <DialogButton
          {...BUTTON}
          button="It has ended"
          aria-label={`It has ended: ${name}`}
          title={`${name} has ended`}
        >
          {(close) => <EndUnit sourceId={sourceId} unit={name} close={close} />}
        </DialogButton>
      ) : (
        <UnitButton
          unit={name}
          words="It has not ended"
          send={() =>
            dataOf(
              api.POST('/api/v1/cost-sources/{id}/units/end', { params, body: { unit: name, day: null } }),
            )
          }
          done={`${name} has not ended. Months wait for its days again.`}
        />
      )}
      {stands && (
        <UnitButton
          unit={name}
          words="They are not right"
          send={() =>
            dataOf(
              api.POST('/api/v1/cost-sources/{id}/units/confirm', {
                params,
                body: { unit: name, stands: false },
              }),
            )
          }
          done={`The charges of ${name} beside others are in doubt again.`}
        />
      )}
    </Group>
  );
}

/** Takes a decision about a unit back. */
function UnitButton({
  unit,
  words,
  send,
  done,
}: {
  unit: string;
  words: string;
  send: () => Promise<unknown>;
  /** What to say once it is stored. */
  done: string;
}): ReactNode {
  const { mutate, isPending } = useChange({ send, changes: SPEND_CHANGES, done: () => done });
  return (
    <Button
      {...BUTTON}
      aria-label={`${words}: ${unit}`}
      loading={isPending}
      onClick={() => {
        mutate(undefined);
      }}
    >
      {words}
    </Button>
  );
}
