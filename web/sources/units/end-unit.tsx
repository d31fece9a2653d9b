import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, dataOf } from '../../http/api.ts';
import { useSession } from '../../http/session.ts';
import { DialogForm } from '../../shared/forms/dialog-form.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import type { Day } from '../../shared/calendar.ts';
import { Answer } from '../../shared/states.tsx';
import { sentence } from '../../shared/sentences.tsx';
import { SPEND_CHANGES } from '../sources-queries.ts';
import { unitsQuery } from './units-query.ts';

interface Asked {
  sourceId: string;
  /** The name of the account, cluster, host or tool. */
  unit: string;
  close: () => void;
}

/** Asks for the last day of a unit that counts, so that no month waits for later ones. It suggests the last one with spend. */
export function EndUnit(asked: Asked): ReactNode {
  const query = useQuery(unitsQuery(asked.sourceId));
  return (
    <Answer query={query} height={160}>
      {(units) => {
        const known = units.find(({ unit }) => unit === asked.unit);
        return <EndUnitOn {...asked} lastDay={known?.last_day ?? ''} />;
      }}
    </Answer>
  );
}

/** Asks for the last day of a unit, and suggests one. */
export function EndUnitOn({
  sourceId,
  unit,
  about = null,
  lastDay,
  close,
}: Asked & {
  /** What the end does here; null if it only says that the unit has no spend any more. */
  about?: string | null;
  /** The day to suggest; empty for none. */
  lastDay: Day;
}): ReactNode {
  const { today } = useSession();
  const form = useForm({ initialValues: { day: lastDay } });
  return (
    <DialogForm
      action="End it"
      isReady={form.values.day !== ''}
      send={({ day }, signal) =>
        dataOf(
          api.POST('/api/v1/cost-sources/{id}/units/end', {
            params: { path: { id: sourceId } },
            body: { unit, day },
            signal,
          }),
        )
      }
      changes={SPEND_CHANGES}
      done={(_, { day }) => `${unit} ended on ${day}. No month waits for it after that.`}
      submit={form.onSubmit}
      close={close}
    >
      {about !== null && <Text size="sm">{sentence(about)}</Text>}
      <TextInput
        label="Last day"
        description={
          about === null
            ? 'The last day that it had spend. Months wait for no day after it.'
            : 'The last day that counts in this source'
        }
        type="date"
        max={today}
        required
        withAsterisk={false}
        data-autofocus
        {...form.getInputProps('day')}
      />
      <Dimmed size="xs">You can take this back on the page of its source.</Dimmed>
    </DialogForm>
  );
}
