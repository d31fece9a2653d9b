import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { SPEND_SOURCES } from '../../../domain/sources/spend-sources.ts';
import { useSession } from '../../http/session.ts';
import { Missing, Money } from '../../shared/amounts.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import { Card } from '../../shared/card.tsx';
import { DataTable, NumberCell } from '../../shared/tables/data-table.tsx';
import { TableHead } from '../../shared/tables/table-head.tsx';
import { changeText, moneyText } from '../../shared/numbers.ts';
import { Answer, Empty } from '../../shared/states.tsx';
import { sumOf } from '../../shared/sums.ts';
import { instantText } from '../../shared/instant.tsx';
import { sentence } from '../../shared/sentences.tsx';
import { SOURCE_NAMES } from '../../spend/source-names.ts';
import { billVersionsQuery, type Bill, type BillVersion, type Team } from '../team-queries.ts';

/** The sealed versions of a team's bill side by side: what each says, why it was sealed, and what had changed. */
export function BillVersions({ team, bill }: { team: Team; bill: Bill }): ReactNode {
  const query = useQuery({ ...billVersionsQuery(team.id, bill.month), enabled: bill.version !== null });
  return (
    <Card title={`Versions of ${bill.month}`}>
      {bill.version === null ? (
        <Empty>The bill has no version yet. It becomes one once it is sealed.</Empty>
      ) : (
        <Answer query={query} height={240}>
          {(versions) => (
            <VersionsTable label={`Versions of ${bill.month} side by side`} versions={versions} />
          )}
        </Answer>
      )}
    </Card>
  );
}

const CAUSES: Record<BillVersion['sealed_because'], string> = {
  settled: 'The month had settled.',
  values_changed: 'Values that split a shared cost had changed.',
  backfill: 'The month follows today’s spend and teams.',
  resealed: 'An admin sealed it again.',
};

interface Line {
  key: string;
  name: string;
  isSum?: boolean;
  amount: (version: BillVersion) => number | null;
}

/** The lines of all versions: sources, direct, every shared cost that any version has, shared, fully loaded. */
function linesOf(versions: readonly BillVersion[]): Line[] {
  const shared = new Map(
    versions.flatMap(({ shared_costs }) => shared_costs.map(({ id, name }) => [id, name])),
  );
  return [
    ...SPEND_SOURCES.map((source) => ({
      key: source,
      name: SOURCE_NAMES[source],
      amount: ({ by_source }: BillVersion) => by_source[source],
    })),
    { key: 'direct', name: 'Direct', isSum: true, amount: ({ direct }) => direct },
    ...[...shared].map(([id, name]) => ({
      key: id,
      name,
      amount: ({ shared_costs }: BillVersion) => shared_costs.find((cost) => cost.id === id)?.amount ?? null,
    })),
    { key: 'shared', name: 'Shared', isSum: true, amount: ({ shared: amount }) => amount },
    { key: 'fully-loaded', name: 'Fully loaded', isSum: true, amount: ({ fully_loaded }) => fully_loaded },
  ];
}

const COLUMN_WIDTH = 190;

const VersionsTable = ({
  label,
  versions,
}: {
  label: string;
  versions: readonly BillVersion[];
}): ReactNode => (
  <DataTable label={label} minWidth={COLUMN_WIDTH * (versions.length + 1)} w="auto">
    <TableHead columns={['Part', ...versions.map(({ version }) => ({ numbers: `Version ${version}` }))]} />
    <Table.Tbody>
      <Table.Tr style={{ verticalAlign: 'top' }}>
        <Table.Th scope="row">Cause</Table.Th>
        {versions.map((version) => (
          <Table.Td key={version.version} ta="right" miw={COLUMN_WIDTH} maw={320}>
            <Cause version={version} />
          </Table.Td>
        ))}
      </Table.Tr>
      {linesOf(versions).map((line) => (
        <Table.Tr key={line.key} fw={line.isSum === true ? 600 : undefined}>
          <Table.Th scope="row" fw={line.isSum === true ? 600 : 'normal'}>
            {line.name}
          </Table.Th>
          {versions.map((version, index) => (
            <NumberCell key={version.version}>
              <VersionAmount line={line} version={version} before={versions[index + 1]} />
            </NumberCell>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  </DataTable>
);

const Cause = ({
  version: { sealed_because, sealed_at, sealed_by, reason },
}: {
  version: BillVersion;
}): ReactNode => (
  <Stack gap={2}>
    <Text size="sm">{CAUSES[sealed_because]}</Text>
    {reason !== null && (
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {sealed_because === 'resealed' ? `“${reason}”` : sentence(reason)}
      </Text>
    )}
    <Dimmed size="xs">
      {instantText(sealed_at)}
      {sealed_by !== null && `, with the key ${sealed_by.name}`}
    </Dimmed>
  </Stack>
);

function VersionAmount({
  line,
  version,
  before,
}: {
  line: Line;
  version: BillVersion;
  before: BillVersion | undefined;
}): ReactNode {
  const amount = line.amount(version);
  return (
    <>
      {amount === null ? (
        <Missing reason="this version has no part of this shared cost" />
      ) : (
        <Money value={amount} />
      )}
      {before !== undefined && <Difference now={amount ?? 0} then={line.amount(before) ?? 0} />}
    </>
  );
}

function Difference({ now, then }: { now: number; then: number }): ReactNode {
  const { organisation } = useSession();
  const difference = sumOf([now, -then]);
  const money = moneyText(difference, organisation.currency);
  return (
    <Dimmed size="xs" fw="normal">
      {difference === 0
        ? 'unchanged'
        : `${difference > 0 ? '+' : ''}${money}${then === 0 ? '' : ` (${changeText((difference / Math.abs(then)) * 100)})`}`}
    </Dimmed>
  );
}
