import { Text, Textarea } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { api, dataOf } from '../../http/api.ts';
import type { Month } from '../../shared/calendar.ts';
import { DialogButton } from '../../shared/forms/dialog-button.tsx';
import { DialogForm } from '../../shared/forms/dialog-form.tsx';
import { TEAM_CHANGES } from '../team-queries.ts';

/** Most characters of a reason (api/teams/team-bills.ts). */
const LONGEST_REASON = 1000;

/** A button that seals all teams' bills of a past month again, with a reason. */
export const Reseal = ({ month }: { month: Month }): ReactNode => (
  <DialogButton button={`Reseal ${month}`} size="xs" variant="default" title={`Reseal ${month}`}>
    {(close) => <ResealForm month={month} close={close} />}
  </DialogButton>
);

function ResealForm({ month, close }: { month: Month; close: () => void }): ReactNode {
  const form = useForm({
    initialValues: { reason: '' },
    validate: { reason: isNotEmpty('The reason is missing.') },
  });
  return (
    <DialogForm
      action="Reseal all bills"
      send={({ reason }, signal) =>
        dataOf(
          api.POST('/api/v1/teams/bills/{month}/reseal', {
            params: { path: { month } },
            body: { reason: reason.trim() },
            signal,
          }),
        )
      }
      changes={TEAM_CHANGES}
      done={() => `The bills of all teams for ${month} are sealed again.`}
      submit={form.onSubmit}
      close={close}
    >
      <Text size="sm">
        This seals the bills of all teams for {month} again, from today’s spend, ownership and values. Each
        bill gets another version, even if its amounts stay the same. From then on only split values and
        another reseal change the month.
      </Text>
      <Textarea
        label="Reason"
        description="Everybody who sees the versions can read it."
        data-autofocus
        autosize
        minRows={2}
        maxLength={LONGEST_REASON}
        {...form.getInputProps('reason')}
        onChange={({ currentTarget: { value } }) => {
          // The service takes one line.
          form.setFieldValue('reason', value.replace(/\s*\n\s*/g, ' '));
        }}
      />
    </DialogForm>
  );
}
