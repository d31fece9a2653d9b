import { Checkbox, List, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { useSession } from '../http/session.ts';
import { Card } from '../shared/card.tsx';
import { instantText } from '../shared/instant.tsx';
import { fieldText, numberIn, problemIn } from '../shared/forms/number-entry.ts';
import { NumberField } from '../shared/forms/number-field.tsx';
import { useChange } from '../shared/forms/use-change.ts';
import { targetRule } from './metric-numbers.ts';
import { NUMBERS_OF_METRICS, type ShownMetric } from './metric-queries.ts';
import { ScopeOfMetric } from './scope-of-metric.tsx';
import { ConfirmButton } from '../shared/forms/confirm-button.tsx';
import { Form } from '../shared/forms/form.tsx';

/** The definition of a metric: what can change as a form, the rest in words, and its deletion. */
export function MetricSettings({ metric }: { metric: ShownMetric }): ReactNode {
  const { may, has } = useSession();
  const mayChange = may('admin') && (metric.kind === 'count' || has('revenue'));
  return (
    <Stack>
      <Card title="Definition">
        <Definition key={metric.id} metric={metric} mayChange={mayChange} />
      </Card>
      <Card title="Cost that it counts">
        <ScopeOfMetric metric={metric} mayChange={mayChange} />
      </Card>
      {mayChange && (
        <Card title="Delete">
          <DeleteMetric metric={metric} />
        </Card>
      )}
    </Stack>
  );
}

function Definition({ metric, mayChange }: { metric: ShownMetric; mayChange: boolean }): ReactNode {
  const { organisation } = useSession();
  const isRevenue = metric.kind === 'revenue';
  const rule = targetRule(metric.kind, organisation.currency);
  const form = useForm({
    initialValues: {
      name: metric.name,
      unit: metric.unit,
      target: fieldText(metric.target),
      labelKey: metric.label_key ?? '',
      assistantAccess: metric.kind === 'revenue' && metric.assistant_access,
    },
    validate: { target: (target) => problemIn(target, rule) },
  });
  const save = useChange({
    send: ({ name, unit, target, labelKey, assistantAccess }: typeof form.values) =>
      dataOf(
        api.PATCH('/api/v1/metrics/{id}', {
          params: { path: { id: metric.id } },
          body: {
            name,
            unit,
            target: numberIn(target, rule),
            ...(isRevenue ? { assistant_access: assistantAccess } : {}),
            ...(labelKey === (metric.label_key ?? '')
              ? {}
              : { label_key: labelKey === '' ? null : labelKey }),
          },
        }),
      ),
    changes: NUMBERS_OF_METRICS,
    done: ({ name }) => `${name} is saved.`,
    onDone: () => {
      form.resetDirty();
    },
    showsError: true,
  });
  return (
    <Form
      change={save}
      action={mayChange ? 'Save' : null}
      isReady={form.isDirty()}
      maxWidth={480}
      onSubmit={form.onSubmit(save.mutate)}
    >
      <TextInput label="Name" required disabled={!mayChange} {...form.getInputProps('name')} />
      <TextInput label="Unit" required disabled={!mayChange} {...form.getInputProps('unit')} />
      <NumberField
        rule={rule}
        label="Target"
        description={
          isRevenue
            ? 'The highest cost in percent of revenue. Empty for no target.'
            : `The highest cost per ${metric.unit}, in ${organisation.currency}. Empty for no target.`
        }
        disabled={!mayChange}
        {...form.getInputProps('target')}
      />
      {!isRevenue && (
        <TextInput
          label="Labels"
          description="What the labels of its values name, for example region. It can change while there are no values."
          disabled={!mayChange}
          {...form.getInputProps('labelKey')}
        />
      )}
      {isRevenue && (
        <Checkbox
          label="The assistant may read it when an admin asks"
          disabled={!mayChange}
          {...form.getInputProps('assistantAccess', { type: 'checkbox' })}
        />
      )}
      <List size="sm" c="dimmed">
        <List.Item>
          {isRevenue ? 'Revenue' : 'A count'}, {metric.frequency}, {metric.aggregation} of the month
        </List.Item>
        <List.Item>Made {instantText(metric.created_at)}</List.Item>
      </List>
    </Form>
  );
}

function DeleteMetric({ metric: { id, name } }: { metric: ShownMetric }): ReactNode {
  const navigate = useNavigate();
  return (
    <ConfirmButton
      button="Delete metric"
      variant="outline"
      color="red"
      title={`Delete ${name}?`}
      action="Delete"
      send={(signal) => dataOf(api.DELETE('/api/v1/metrics/{id}', { params: { path: { id } }, signal }))}
      changes={['overview', 'waiting', 'metric-list']}
      done={() => `${name} is deleted.`}
      onDone={() => {
        void navigate({ to: '/business-metrics' });
      }}
    >
      <Text size="sm">
        Its values, locked months and import are no longer reachable. The audit log keeps who deleted it.
      </Text>
    </ConfirmButton>
  );
}
