import { Alert, Select, Stack, TextInput } from '@mantine/core';
import { isNotEmpty, useForm, type UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { useSession } from '../http/session.ts';
import { Card } from '../shared/card.tsx';
import { Form } from '../shared/forms/form.tsx';
import { numberIn, problemIn } from '../shared/forms/number-entry.ts';
import { NumberField } from '../shared/forms/number-field.tsx';
import { RadioGroup } from '../shared/forms/radio-group.tsx';
import { useChange } from '../shared/forms/use-change.ts';
import { SpendPicker } from '../spend/picks/spend-picker.tsx';
import type { Pick } from '../spend/picks/spend-queries.ts';
import { teamsQuery } from '../teams/team-queries.ts';
import { targetRule } from './metric-numbers.ts';

interface Values {
  name: string;
  unit: string;
  kind: 'count' | 'revenue';
  frequency: 'daily' | 'monthly';
  aggregation: 'total' | 'average';
  scope: 'organisation' | 'team' | 'spend';
  teamId: string | null;
  spend: Pick[];
  target: string;
  labelKey: string;
}

const scopeOf = ({ scope, teamId, spend }: Values) =>
  scope === 'organisation'
    ? { type: scope }
    : scope === 'team'
      ? { type: scope, team_id: teamId ?? '' }
      : { type: scope, spend };

/** Returns the body of the request. Revenue is in the organisation's currency, adds up, and has no labels. */
function requestOf(values: Values, currency: string) {
  const isRevenue = values.kind === 'revenue';
  return {
    name: values.name,
    unit: isRevenue ? currency : values.unit,
    kind: values.kind,
    frequency: values.frequency,
    aggregation: isRevenue ? 'total' : values.aggregation,
    scope: scopeOf(values),
    target: numberIn(values.target, targetRule(values.kind, currency)),
    ...(isRevenue ? { currency } : {}),
    ...(isRevenue || values.labelKey.trim() === '' ? {} : { label_key: values.labelKey }),
  };
}

type MetricFormState = UseFormReturnType<Values>;

/** The form for a new metric: what it counts, and whose cost it divides. */
export function MetricForm(): ReactNode {
  const { organisation } = useSession();
  const navigate = useNavigate();
  const form = useForm<Values>({
    initialValues: {
      name: '',
      unit: '',
      kind: 'count',
      frequency: 'daily',
      aggregation: 'total',
      scope: 'organisation',
      teamId: null,
      spend: [],
      target: '',
      labelKey: '',
    },
    validate: {
      name: isNotEmpty('Expected a name'),
      unit: (unit, { kind }) =>
        kind === 'count' && unit.trim() === '' ? 'Expected what one of it is called' : null,
      teamId: (teamId, { scope }) => (scope === 'team' && teamId === null ? 'Expected a team' : null),
      spend: (spend, { scope }) =>
        scope === 'spend' && spend.length === 0 ? 'Expected at least one part of spend' : null,
      target: (target, { kind }) => problemIn(target, targetRule(kind, organisation.currency)),
    },
  });
  const create = useChange({
    send: (values: Values) =>
      dataOf(api.POST('/api/v1/metrics', { body: requestOf(values, organisation.currency) })),
    changes: ['metric-list', 'overview', 'waiting', 'spend'],
    done: ({ name }) => `${name} is there. Add values next.`,
    onDone: ({ id }) => {
      void navigate({ to: '/business-metrics/$id', params: { id } });
    },
    showsError: true,
  });
  return (
    <Form change={create} action="Create metric" onSubmit={form.onSubmit(create.mutate)}>
      <Card title="What it counts">
        <Stack maw={560}>
          <CountedFields form={form} />
        </Stack>
      </Card>
      <Card title="Whose cost it divides">
        <Stack>
          <ScopeFields form={form} />
        </Stack>
      </Card>
    </Form>
  );
}

function CountedFields({ form }: { form: MetricFormState }): ReactNode {
  const { organisation, has } = useSession();
  const { kind, frequency } = form.values;
  const isRevenue = kind === 'revenue';
  return (
    <>
      <TextInput label="Name" placeholder="Orders" required data-autofocus {...form.getInputProps('name')} />
      <RadioGroup
        label="Kind"
        choices={{
          count: 'A count, such as orders, customers or requests',
          revenue: {
            disabled: !has('revenue'),
            label: `Revenue in ${organisation.currency}. Only admins see its numbers.`,
            description: has('revenue') ? undefined : 'Needs the Business plan or above',
          },
        }}
        {...form.getInputProps('kind')}
      />
      {!isRevenue && (
        <TextInput
          label="Unit"
          description="What one of it is called: cost per …"
          placeholder="order"
          required
          {...form.getInputProps('unit')}
        />
      )}
      <RadioGroup
        label="Values"
        description="This cannot change later."
        choices={{ daily: 'One value a day', monthly: 'One value a month' }}
        {...form.getInputProps('frequency')}
      />
      {!isRevenue && frequency === 'daily' && (
        <RadioGroup
          label="A month is"
          description="This cannot change later."
          choices={{
            total: 'the sum of its days, for example of orders',
            average: 'the average of its days, for example of active customers',
          }}
          {...form.getInputProps('aggregation')}
        />
      )}
      {!isRevenue && (
        <TextInput
          label="Labels"
          description="What divides its values, for example region. Empty if nothing does."
          {...form.getInputProps('labelKey')}
        />
      )}
      <NumberField
        rule={targetRule(kind, organisation.currency)}
        label="Target"
        description={
          isRevenue
            ? 'The highest cost in percent of revenue. Empty for no target.'
            : `The highest cost per unit, in ${organisation.currency}. Empty for no target.`
        }
        {...form.getInputProps('target')}
      />
    </>
  );
}

function ScopeFields({ form }: { form: MetricFormState }): ReactNode {
  const { scope, spend } = form.values;
  const teams = useQuery({ ...teamsQuery, enabled: scope === 'team' });
  return (
    <>
      <RadioGroup
        aria-label="Whose cost it divides"
        choices={{
          organisation: 'All spend of the organisation',
          team: 'The bill of a team',
          spend: 'Chosen parts of spend',
        }}
        {...form.getInputProps('scope')}
      />
      {scope === 'team' && (
        <Select
          label="Team"
          maw={400}
          searchable
          required
          data={(teams.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
          nothingFoundMessage="No team has this name"
          {...form.getInputProps('teamId')}
        />
      )}
      {scope === 'spend' && (
        <SpendPicker
          value={spend}
          user={{ type: 'metric' }}
          onChange={(picks) => {
            form.setFieldValue('spend', picks);
          }}
        />
      )}
      {form.errors['spend'] !== undefined && (
        <Alert color="red" role="alert">
          {form.errors['spend']}
        </Alert>
      )}
    </>
  );
}
