import { Alert, Badge, Code, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { PLATFORMS } from '../../domain/imports/platforms.ts';
import { api, dataOf } from '../http/api.ts';
import { useSession } from '../http/session.ts';
import { NUMBERS_OF_METRICS, type ShownMetric } from '../metrics/metric-queries.ts';
import { monthOf } from '../shared/calendar.ts';
import { Card } from '../shared/card.tsx';
import { countText, moneyText, quantityText } from '../shared/numbers.ts';
import { instantText } from '../shared/instant.tsx';
import { Fact, Facts } from '../shared/tables/facts.tsx';
import { sentence, Sentences } from '../shared/sentences.tsx';
import { ConnectImport } from './connect-import.tsx';
import type { Import } from './import-query.ts';
import { DialogForm } from '../shared/forms/dialog-form.tsx';
import { ConfirmButton } from '../shared/forms/confirm-button.tsx';
import { DialogButton } from '../shared/forms/dialog-button.tsx';

const COLORS = { connected: 'green', paused: 'gray', failed: 'red' } as const;

interface Connected {
  metric: ShownMetric;
  connection: Import;
}

/** A connected import: its state, its last run, and what can be done with it. */
export function ConnectedImport({ metric, connection }: Connected): ReactNode {
  const { other_currencies, left_out } = connection;
  const [others, leftOut] = [other_currencies ?? [], left_out ?? []];
  return (
    <Card
      title={`Daily import from ${PLATFORMS[connection.type].name}`}
      actions={<Badge color={COLORS[connection.status]}>{connection.status}</Badge>}
    >
      <Stack>
        {connection.paused_reason !== null && <Alert>{sentence(connection.paused_reason)}</Alert>}
        {connection.problem !== null && <Alert color="red">{sentence(connection.problem)}</Alert>}
        <Connection connection={connection} />
        <LastRun connection={connection} />
        {others.length > 0 && (
          <Alert color="yellow" title="Net sales in other currencies do not count">
            {others.map(({ currency, net_sales }) => moneyText(net_sales, currency.toUpperCase())).join(', ')}
          </Alert>
        )}
        {leftOut.length > 0 && (
          <Alert color="yellow" title="These categories do not count, because they may hold sales or not">
            <List size="sm">
              {leftOut.map(({ category, currency, amount, transactions }) => (
                <List.Item key={`${category} ${currency}`}>
                  {category}: {moneyText(amount, currency)} in {countText(transactions, 'transaction')}
                </List.Item>
              ))}
            </List>
          </Alert>
        )}
        <Actions metric={metric} connection={connection} />
      </Stack>
    </Card>
  );
}

const Connection = ({ connection }: Pick<Connected, 'connection'>): ReactNode => (
  <Facts label="Connection">
    <Fact name="Connected">{instantText(connection.connected_at)}</Fact>
    <Fact name="Imports">all values from {connection.first_month} on</Fact>
    <Fact name="Next run">
      {connection.next_run_at === null ? 'none while it is paused' : instantText(connection.next_run_at)}
    </Fact>
    {typeof connection.project_id === 'string' && <Fact name="Project">{connection.project_id}</Fact>}
    {typeof connection.query === 'string' && (
      <Fact name="Query">
        <Code block>{connection.query}</Code>
      </Fact>
    )}
  </Facts>
);

function LastRun({ connection: { last_run } }: Pick<Connected, 'connection'>): ReactNode {
  if (last_run === null) return <Text size="sm">It has not run yet.</Text>;
  const { status, started_at, finished_at, start_day, end_day, rows, changed, removed, notes, error } =
    last_run;
  const color = status === 'failed' ? 'red' : status === 'running' ? 'blue' : 'green';
  return (
    <Alert
      color={color}
      role="status"
      title={
        status === 'running'
          ? `Running since ${instantText(started_at)}`
          : `Last run ${status} on ${instantText(finished_at ?? started_at)}`
      }
    >
      <Text size="sm">
        {start_day} to {end_day}: {countText(rows, 'row')} read, {countText(changed, 'value')} changed,{' '}
        {quantityText(removed)} removed.
      </Text>
      {error !== null && <Text size="sm">{sentence(error)}</Text>}
      <Sentences words={notes} />
    </Alert>
  );
}

function Actions({ metric, connection }: Connected): ReactNode {
  const { has } = useSession();
  const isPaused = connection.status === 'paused';
  return (
    <Group>
      {!isPaused && <RunNow metric={metric} connection={connection} />}
      {(metric.kind === 'count' || has('revenue')) && (
        <DialogButton button="Replace the connection" variant="default" title="Replace the connection" isWide>
          {(close) => <ConnectImport metric={metric} connection={connection} onDone={close} />}
        </DialogButton>
      )}
      <Disconnect metric={metric} />
    </Group>
  );
}

const RunNow = (connected: Connected): ReactNode => (
  <DialogButton
    button="Run now"
    disabled={connected.connection.last_run?.status === 'running'}
    title="Run the import now"
  >
    {(close) => <RunForm {...connected} close={close} />}
  </DialogButton>
);

function RunForm({ metric, connection, close }: Connected & { close: () => void }): ReactNode {
  const { today } = useSession();
  const form = useForm({ initialValues: { from: '' } });
  return (
    <DialogForm
      action="Run"
      send={({ from }, signal) =>
        dataOf(
          api.POST('/api/v1/metrics/{id}/import/run', {
            params: { path: { id: metric.id } },
            body: from === '' ? {} : { start_month: from },
            signal,
          }),
        )
      }
      changes={['imports']}
      done={() => 'The import has started.'}
      submit={form.onSubmit}
      close={close}
    >
      <TextInput
        label="From"
        description="Empty for the running month and the one before it"
        type="month"
        min={connection.first_month}
        max={monthOf(today)}
        {...form.getInputProps('from')}
      />
    </DialogForm>
  );
}

const Disconnect = ({ metric: { id, name } }: { metric: ShownMetric }): ReactNode => (
  <ConfirmButton
    button="Disconnect"
    variant="outline"
    color="red"
    title="Disconnect the import?"
    action="Disconnect"
    send={(signal) => dataOf(api.DELETE('/api/v1/metrics/{id}/import', { params: { path: { id } }, signal }))}
    changes={NUMBERS_OF_METRICS}
    done={() => `${name} is disconnected. Its values stay.`}
  >
    <Text size="sm">
      Its credential is deleted. The imported values stay, and can be changed by hand again.
    </Text>
  </ConfirmButton>
);
