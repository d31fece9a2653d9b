import { Alert, Radio, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { useSession } from '../http/session.ts';
import { Card } from '../shared/card.tsx';
import { Form } from '../shared/forms/form.tsx';
import { numberIn, problemIn } from '../shared/forms/number-entry.ts';
import { NumberField } from '../shared/forms/number-field.tsx';
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

const required =
  (what: string) =>
  (text: string): string | null =>
    text.trim() === '' ? `Expected ${what}` : null;

const scopeOf = ({ scope, teamId, spend }: Values) =>
  scope === 'organisation'
    ? { type: scope }
    : scope === 'team'
      ? { type: scope, team_id: teamId ?? '' }
      : { type: scope, spend };

/** The form for a new metric: what it counts, and whose cost it divides. */
export function MetricForm(): ReactNode {
  const { organisation, has } = useSession();
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
      name: required('a name'),
      unit: (unit, { kind }) => (kind === 'revenue' ? null : required('what one of it is called')(unit)),
      teamId: (teamId, { scope }) => (scope === 'team' && teamId === null ? 'Expected a team' : null),
      spend: (spend, { scope }) =>
        scope === 'spend' && spend.length === 0 ? 'Expected at least one part of spend' : null,
      target: (target, values) => problemIn(target, targetRule(values.kind, organisation.currency)),
    },
  });
  const { kind, scope, spend, frequency } = form.values;
  const teams = useQuery({ ...teamsQuery, enabled: scope === 'team' });
  const isRevenue = kind === 'revenue';
  const create = useChange({
    send: (values: Values) =>
      dataOf(
        api.POST('/api/v1/metrics', {
          body: {
            name: values.name,
            unit: isRevenue ? organisation.currency : values.unit,
            kind: values.kind,
            frequency: values.frequency,
            aggregation: isRevenue ? 'total' : values.aggregation,
            scope: scopeOf(values),
            target: numberIn(values.target, targetRule(values.kind, organisation.currency)),
            ...(isRevenue ? { currency: organisation.currency } : {}),
            ...(isRevenue || values.labelKey.trim() === '' ? {} : { label_key: values.labelKey }),
          },
        }),
      ),
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
          <TextInput
            label="Name"
            placeholder="Orders"
            required
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Radio.Group label="Kind" {...form.getInputProps('kind')}>
            <Stack gap="xs" mt={4}>
              <Radio value="count" label="A count, such as orders, customers or requests" />
              <Radio
                value="revenue"
                disabled={!has('revenue')}
                label={`Revenue in ${organisation.currency}. Only admins see its numbers.`}
                description={has('revenue') ? undefined : 'Needs the Business plan or above'}
              />
            </Stack>
          </Radio.Group>
          {!isRevenue && (
            <TextInput
              label="Unit"
              description="What one of it is called: cost per …"
              placeholder="order"
              required
              {...form.getInputProps('unit')}
            />
          )}
          <Radio.Group
            label="Values"
            description="This cannot change later."
            {...form.getInputProps('frequency')}
          >
            <Stack gap="xs" mt={4}>
              <Radio value="daily" label="One value a day" />
              <Radio value="monthly" label="One value a month" />
            </Stack>
          </Radio.Group>
          {!isRevenue && frequency === 'daily' && (
            <Radio.Group
              label="A month is"
              description="This cannot change later."
              {...form.getInputProps('aggregation')}
            >
              <Stack gap="xs" mt={4}>
                <Radio value="total" label="the sum of its days, for example of orders" />
                <Radio value="average" label="the average of its days, for example of active customers" />
              </Stack>
            </Radio.Group>
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
        </Stack>
      </Card>
      <Card title="Whose cost it divides">
        <Stack>
          <Radio.Group aria-label="Whose cost it divides" {...form.getInputProps('scope')}>
            <Stack gap="xs">
              <Radio value="organisation" label="All spend of the organisation" />
              <Radio value="team" label="The bill of a team" />
              <Radio value="spend" label="Chosen parts of spend" />
            </Stack>
          </Radio.Group>
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
          {typeof form.errors['spend'] === 'string' && (
            <Alert color="red" role="alert">
              {form.errors['spend']}
            </Alert>
          )}
        </Stack>
      </Card>
    </Form>
  );
}
