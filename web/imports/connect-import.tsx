import {
  Alert,
  Button,
  Group,
  List,
  PasswordInput,
  SegmentedControl,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, type ReactNode } from 'react';
import { api, dataOf, type Schema } from '../http/api.ts';
import { NUMBERS_OF_METRICS, type ShownMetric } from '../metrics/metric-queries.ts';
import { useChange } from '../shared/forms/use-change.ts';
import { sentence } from '../shared/words.ts';
import { sizeText } from '../shared/numbers.ts';
import type { Import } from './import-query.ts';
import { FormError } from '../shared/forms/form-error.tsx';

interface Form {
  type: Import['type'];
  projectId: string;
  location: string;
  query: string;
  credentials: string;
  apiKey: string;
}

/** Returns the JSON of a service account key, or the text itself for the service to refuse. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const bodyFor = ({ type, projectId, location, query, credentials, apiKey }: Form) =>
  type === 'stripe'
    ? { type, api_key: apiKey.trim() }
    : {
        type,
        project_id: projectId.trim(),
        ...(location.trim() === '' ? {} : { location: location.trim() }),
        query,
        credentials: parsed(credentials),
      };

/** The form that connects a metric to BigQuery or Stripe. It can be checked before it is stored. */
export function ConnectImport({
  metric,
  connection,
  onDone,
}: {
  metric: ShownMetric;
  connection: Import | null;
  onDone?: () => void;
}): ReactNode {
  const form = useForm<Form>({
    initialValues: {
      type: connection?.type ?? (metric.kind === 'revenue' ? 'stripe' : 'bigquery'),
      projectId: connection?.project_id ?? '',
      location: connection?.location ?? '',
      query: connection?.query ?? '',
      credentials: '',
      apiKey: '',
    },
  });
  const { type } = form.values;
  const params = { path: { id: metric.id } };
  const check = useChange({
    send: (values: Form) =>
      dataOf(api.POST('/api/v1/metrics/{id}/import/check', { params, body: bodyFor(values) })),
    changes: [],
    showsError: true,
  });
  const connect = useChange({
    send: (values: Form, signal) =>
      dataOf(api.PUT('/api/v1/metrics/{id}/import', { params, body: bodyFor(values), signal })),
    changes: NUMBERS_OF_METRICS,
    done: () => `${metric.name} is connected. The first run reads twelve months.`,
    onDone: () => onDone?.(),
    showsError: true,
  });
  const { abandon } = connect;
  useEffect(() => abandon, [abandon]);
  const failed = connect.isError ? connect : check;
  return (
    <form
      onSubmit={form.onSubmit((values) => {
        check.reset();
        connect.mutate(values);
      })}
    >
      <Stack maw={640}>
        {metric.kind === 'revenue' && connection === null && (
          <SegmentedControl
            aria-label="Where the values come from"
            data={[
              { value: 'stripe', label: 'Stripe' },
              { value: 'bigquery', label: 'BigQuery' },
            ]}
            {...form.getInputProps('type')}
          />
        )}
        {type === 'stripe' ? (
          <PasswordInput
            label="Restricted key"
            description="A key of Stripe (rk_…) that may read balance transactions, and nothing else"
            autoComplete="off"
            required
            {...form.getInputProps('apiKey')}
          />
        ) : (
          <>
            <TextInput
              label="Project"
              description="The Google Cloud project that runs and pays for the query"
              required
              {...form.getInputProps('projectId')}
            />
            <TextInput
              label="Location"
              description="For example EU. Empty for the default of the project."
              {...form.getInputProps('location')}
            />
            <Textarea
              label="Query"
              description={`One SELECT with @start and @end, which returns day, value${metric.label_key === null ? '' : ' and label'}`}
              autosize
              minRows={4}
              required
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              {...form.getInputProps('query')}
            />
            <Textarea
              label="Service account key"
              description="The JSON key file. It is stored encrypted and never shown again."
              minRows={3}
              maxRows={6}
              autosize
              required
              autoComplete="off"
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
              {...form.getInputProps('credentials')}
            />
          </>
        )}
        <Text size="sm" c="dimmed">
          The import owns the days that it reads. What was recorded there before and does not come back is
          removed, with a record in the history.
        </Text>
        <FormError error={failed.error} />
        {check.data !== undefined && !connect.isError && <CheckResult result={check.data} />}
        <Group>
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
          <Button type="submit" loading={connect.isPending}>
            {connection === null ? 'Connect' : 'Replace'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const CheckResult = ({ result }: { result: Schema<'ImportCheck'> }): ReactNode => (
  <Alert
    color={result.ok ? 'green' : 'orange'}
    title={result.ok ? 'This can be imported' : 'This cannot be imported yet'}
    role="status"
  >
    {result.problems.length > 0 && (
      <List size="sm">
        {result.problems.map((problem) => (
          <List.Item key={problem}>{sentence(problem)}</List.Item>
        ))}
      </List>
    )}
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
