import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf, type Schema } from '../http/api.ts';
import { Card } from '../shared/card.tsx';
import { FormError } from '../shared/forms/form-error.tsx';
import { Answer } from '../shared/states.tsx';
import { useChange } from '../shared/forms/use-change.ts';
import { organisationQuery } from './organisation-query.ts';
import { sessionQuery, useSession } from '../http/session.ts';

type Organisation = Schema<'Organisation'>;

const MOST_SETTLE_DAYS = 28;

/** The organisation's name and how long its bills take to settle, for admins to change. */
export const OrganisationRules = (): ReactNode => {
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
};

const Fact = ({ name, children }: { name: string; children: ReactNode }): ReactNode => (
  <div>
    <Text size="sm" c="dimmed">
      {name}
    </Text>
    <Text style={{ overflowWrap: 'anywhere' }}>{children}</Text>
  </div>
);

interface Values {
  name: string;
  /** The field gives a text while it is empty. */
  settle_days: number | string;
}

const RulesForm = ({ organisation }: { organisation: Organisation }): ReactNode => {
  const { name, settle_days } = organisation;
  const queryClient = useQueryClient();
  const form = useForm<Values>({
    initialValues: { name, settle_days },
    validate: {
      settle_days: (days) =>
        typeof days === 'number' ? null : `A whole number from 0 to ${MOST_SETTLE_DAYS}`,
    },
  });
  const save = useChange({
    send: (values: Values) =>
      dataOf(
        api.PATCH('/api/v1/organisation', {
          body: {
            ...(values.name === name ? {} : { name: values.name }),
            ...(values.settle_days === settle_days ? {} : { settle_days: Number(values.settle_days) }),
          },
        }),
      ),
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
    <form
      onSubmit={form.onSubmit((values) => {
        save.mutate(values);
      })}
    >
      <Stack>
        <TextInput
          label="Name"
          required
          withAsterisk={false}
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <NumberInput
          label="Settle days"
          description="Full days after the end of a month until it counts as settled. Only then can it be locked."
          min={0}
          max={MOST_SETTLE_DAYS}
          allowDecimal={false}
          {...form.getInputProps('settle_days')}
        />
        <FormError error={save.error} />
        <Group>
          <Button type="submit" disabled={!form.isDirty()} loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
};
