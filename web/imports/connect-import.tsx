import { Alert, Button, SegmentedControl, Table, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, type ReactNode } from 'react';
import { mayFeed, PLATFORMS, type Platform } from '../../domain/imports/platforms.ts';
import { api, dataOf, type Schema } from '../http/api.ts';
import { NUMBERS_OF_METRICS, type ShownMetric } from '../metrics/metric-queries.ts';
import { useChange } from '../shared/forms/use-change.ts';
import { Dimmed } from '../shared/dimmed.tsx';
import { sizeText } from '../shared/numbers.ts';
import type { Import } from './import-query.ts';
import { Sentences } from '../shared/sentences.tsx';
import { Form } from '../shared/forms/form.tsx';
import { BIGQUERY_FORM } from './platforms/bigquery-form.tsx';
import type { PlatformForm } from './platforms/platform-form.ts';
import { STRIPE_FORM } from './platforms/stripe-form.tsx';

/** The forms of all platforms, in the order in which they are offered. */
const FORMS: Record<Platform, PlatformForm> = { stripe: STRIPE_FORM, bigquery: BIGQUERY_FORM };
const OFFERED = Object.keys(FORMS) as Platform[];

/** What a metric is imported from if nobody chooses. */
const USUAL: Record<ShownMetric['kind'], Platform> = { count: 'bigquery', revenue: 'stripe' };

interface Values {
  type: Platform;
  /** What was entered for each platform. */
  entered: Record<string, Record<string, string>>;
}

const bodyFor = ({ type, entered }: Values) => FORMS[type].bodyOf(entered[type] ?? {});

/** The form that connects a metric with a platform. It can be checked before it is stored. */
export function ConnectImport({
  metric,
  connection,
  onDone,
}: {
  metric: ShownMetric;
  connection: Import | null;
  onDone?: () => void;
}): ReactNode {
  const form = useForm<Values>({
    initialValues: {
      type: connection?.type ?? USUAL[metric.kind],
      entered: Object.fromEntries(OFFERED.map((platform) => [platform, FORMS[platform].initial(connection)])),
    },
  });
  const { type } = form.values;
  const suitable = OFFERED.filter((platform) => mayFeed(platform, metric.kind));
  const platform = FORMS[type];
  const params = { path: { id: metric.id } };
  const check = useChange({
    send: (values: Values, signal) =>
      dataOf(api.POST('/api/v1/metrics/{id}/import/check', { params, body: bodyFor(values), signal })),
    changes: [],
    showsError: true,
  });
  const connect = useChange({
    send: (values: Values, signal) =>
      dataOf(api.PUT('/api/v1/metrics/{id}/import', { params, body: bodyFor(values), signal })),
    changes: NUMBERS_OF_METRICS,
    done: () => `${metric.name} is connected. The first run reads twelve months.`,
    onDone: () => onDone?.(),
    showsError: true,
  });
  const { abandon } = check;
  useEffect(() => abandon, [abandon]);
  const { error } = connect.isError ? connect : check;
  return (
    <Form
      change={{ ...connect, error }}
      action={connection === null ? 'Connect' : 'Replace'}
      before={
        <Button
          variant="default"
          loading={check.isPending}
          onClick={() => {
            connect.reset();
            check.mutate(form.getValues());
          }}
        >
          Check
        </Button>
      }
      maxWidth={640}
      onSubmit={form.onSubmit((values) => {
        abandon();
        check.reset();
        connect.mutate(values);
      })}
    >
      {suitable.length > 1 && connection === null && (
        <SegmentedControl
          aria-label="Where the values come from"
          data={suitable.map((platform) => ({ value: platform, label: PLATFORMS[platform].name }))}
          {...form.getInputProps('type')}
        />
      )}
      <platform.Inputs metric={metric} inputOf={(field) => form.getInputProps(`entered.${type}.${field}`)} />
      <Dimmed>
        The import owns the days that it reads. What was recorded there before and does not come back is
        removed, with a record in the history.
      </Dimmed>
      {check.data !== undefined && !connect.isError && <CheckResult result={check.data} />}
    </Form>
  );
}

const CheckResult = ({ result }: { result: Schema<'ImportCheck'> }): ReactNode => (
  <Alert
    color={result.ok ? 'green' : 'orange'}
    title={result.ok ? 'This can be imported' : 'This cannot be imported yet'}
    role="status"
  >
    <Sentences words={result.problems} />
    {typeof result.bytes_processed === 'number' && (
      <Text size="sm">The first run reads {sizeText(result.bytes_processed)}.</Text>
    )}
    {result.columns !== undefined && (
      <Table aria-label="Columns of the query" w="auto" mt="xs">
        <Table.Tbody>
          {result.columns.map(({ name, type }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{name}</Table.Th>
              <Table.Td>{type}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    )}
  </Alert>
);
