import { Alert, Button, Checkbox, Table, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { NUMBERS_OF_METRICS, type ShownMetric } from '../metrics/metric-queries.ts';
import { MoneyCell } from '../shared/tables/amount-cells.tsx';
import { NumberCell } from '../shared/tables/data-table.tsx';
import { Dialog } from '../shared/forms/dialog.tsx';
import { sentence, SentencesAlert } from '../shared/sentences.tsx';
import type { Month } from './month-numbers.ts';
import { Cost, Ratio, Value } from './numbers.tsx';
import { DialogForm } from '../shared/forms/dialog-form.tsx';
import { TableHead } from '../shared/tables/table-head.tsx';

/** Whether the dialog of a lock is open; `accepting` if its doubts are accepted from the start. */
export type LockState = 'closed' | 'open' | 'accepting';

/** The button that locks a month, if it can be locked, with a preview of what is frozen. */
export function LockMonth({
  metric,
  month,
  state,
  onChange,
}: {
  metric: ShownMetric;
  month: Month;
  state: LockState;
  onChange: (state: LockState) => void;
}): ReactNode {
  const close = (): void => {
    onChange('closed');
  };
  if (month.can_lock === 'no') return null;
  const label = month.status === 'changed_since_lock' ? `Lock ${month.month} again` : `Lock ${month.month}`;
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => {
          onChange('open');
        }}
      >
        {label}
      </Button>
      <Dialog opened={state !== 'closed'} onClose={close} title={`${label}: ${metric.name}`} isWide>
        <Preview metric={metric} month={month} acceptsAtFirst={state === 'accepting'} close={close} />
      </Dialog>
    </>
  );
}

function Preview({
  metric,
  month,
  acceptsAtFirst,
  close,
}: {
  metric: ShownMetric;
  month: Month;
  acceptsAtFirst: boolean;
  close: () => void;
}): ReactNode {
  const form = useForm({ initialValues: { accepts: acceptsAtFirst } });
  const lacks = month.can_lock === 'without_missing';
  const { locked, current } = month;
  return (
    <DialogForm
      action="Lock"
      isReady={!lacks || form.values.accepts}
      startsAtAction
      send={({ accepts }, signal) =>
        dataOf(
          api.POST('/api/v1/metrics/{id}/months/{month}/lock', {
            params: { path: { id: metric.id, month: month.month } },
            body: lacks ? { accept_missing: accepts } : null,
            signal,
          }),
        )
      }
      changes={NUMBERS_OF_METRICS}
      done={({ version }) => `${metric.name}: ${month.month} is locked as version ${version ?? ''}.`}
      submit={form.onSubmit}
      close={close}
    >
      <Text size="sm">
        The lock freezes these numbers. Spend that arrives later no longer moves them. If a value changes, the
        month shows it, and can be locked again as a new version.
      </Text>
      <Table aria-label="What the lock freezes">
        <TableHead
          columns={[
            month.month,
            { numbers: 'Cost' },
            { numbers: metric.kind === 'revenue' ? 'Revenue' : 'Value' },
            { numbers: metric.kind === 'revenue' ? 'Cost share' : 'Unit cost' },
          ]}
        />
        <Table.Tbody>
          {locked !== null && <NumbersRow name={`Version ${locked.version}`} numbers={locked} />}
          <NumbersRow name={`Version ${(month.version ?? 0) + 1}`} numbers={current ?? month} />
        </Table.Tbody>
      </Table>
      <SentencesAlert color="yellow" title="Know before you lock" words={month.notes} />
      {lacks && (
        <Alert color="orange" title="What the lock would do without">
          <Table aria-label="What the lock would do without" mb="sm">
            <TableHead columns={['Doubt', { numbers: 'Amount' }]} />
            <Table.Tbody>
              {month.missing.map(({ sentence: words, amount }) => (
                <Table.Tr key={words}>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{sentence(words)}</Table.Td>
                  <MoneyCell value={amount} reason="the amount is not known" />
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          <Checkbox
            label="Lock without it. The version keeps what was missing."
            {...form.getInputProps('accepts', { type: 'checkbox' })}
          />
        </Alert>
      )}
    </DialogForm>
  );
}

const NumbersRow = ({
  name,
  numbers,
}: {
  name: string;
  numbers: NonNullable<Month['locked' | 'current']>;
}): ReactNode => (
  <Table.Tr>
    <Table.Th scope="row">{name}</Table.Th>
    <NumberCell>
      <Cost numbers={numbers} />
    </NumberCell>
    <NumberCell>
      <Value numbers={numbers} />
    </NumberCell>
    <NumberCell>
      <Ratio numbers={numbers} />
    </NumberCell>
  </Table.Tr>
);
