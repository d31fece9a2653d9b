import { Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf, type Schema } from '../http/api.ts';
import { Card } from '../shared/card.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { Form } from '../shared/forms/form.tsx';
import { Answer } from '../shared/states.tsx';
import { fieldText, numberIn, problemIn, type NumberRule } from '../shared/forms/number-entry.ts';
import { NumberField } from '../shared/forms/number-field.tsx';
import { useChange } from '../shared/forms/use-change.ts';
import { organisationQuery } from './organisation-query.ts';
import { sessionQuery, useSession } from '../http/session.ts';

type Organisation = Schema<'Organisation'>;

const SETTLE_DAYS: NumberRule = { style: { style: 'decimal' }, min: 0, max: 28, decimals: 0 };

/** The organisation's name and how long its bills take to settle, for admins to change. */
export function OrganisationRules(): ReactNode {
  const { may } = useSession();
  const query = useQuery(organisationQuery);
  return (
    <Card title="Organisation">
      <Answer query={query}>
        {(organisation) => (
          <Stack>
            {may('admin') ? (
              <RulesForm
                key={`${organisation.name} ${organisation.settle_days}`}
                organisation={organisation}
              />
            ) : (
              <>
                <Fact name="Name">{organisation.name}</Fact>
                <Fact name="Settle days">{organisation.settle_days}</Fact>
              </>
            )}
            <Fact name="Currency">{organisation.currency}</Fact>
            <Fact name="Id">{organisation.id}</Fact>
          </Stack>
        )}
      </Answer>
    </Card>
  );
}

const Fact = ({ name, children }: { name: string; children: ReactNode }): ReactNode => (
  <div>
    <Dimmed>{name}</Dimmed>
    <Text style={{ overflowWrap: 'anywhere' }}>{children}</Text>
  </div>
);

interface Values {
  name: string;
  /** As people type it. */
  settleDays: string;
}

function RulesForm({ organisation }: { organisation: Organisation }): ReactNode {
  const { name, settle_days } = organisation;
  const queryClient = useQueryClient();
  const form = useForm<Values>({
    initialValues: { name, settleDays: fieldText(settle_days) },
    validate: { settleDays: (days) => problemIn(days, SETTLE_DAYS, { isRequired: true }) },
  });
  const save = useChange({
    send: (values: Values) => {
      const days = numberIn(values.settleDays, SETTLE_DAYS);
      return dataOf(
        api.PATCH('/api/v1/organisation', {
          body: {
            ...(values.name === name ? {} : { name: values.name }),
            ...(days === null || days === settle_days ? {} : { settle_days: days }),
          },
        }),
      );
    },
    // Months and bills settle by the days.
    changes: ['organisation', 'overview', 'waiting', 'metrics', 'metric-list', 'teams', 'audit-log'],
    done: () => 'The organisation is changed.',
    onDone: (changed) => {
      queryClient.setQueryData(organisationQuery.queryKey, changed);
      queryClient.setQueryData(
        sessionQuery.queryKey,
        (session) => session && { ...session, organisation: { ...session.organisation, name: changed.name } },
      );
    },
    showsError: true,
  });
  return (
    <Form change={save} action="Save" isReady={form.isDirty()} onSubmit={form.onSubmit(save.mutate)}>
      <TextInput label="Name" required withAsterisk={false} maxLength={200} {...form.getInputProps('name')} />
      <NumberField
        rule={SETTLE_DAYS}
        label="Settle days"
        description="Full days after the end of a month until it counts as settled. Only then can it be locked."
        {...form.getInputProps('settleDays')}
      />
    </Form>
  );
}
