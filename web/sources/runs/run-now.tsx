import '@mantine/dates/styles.css';
import { Checkbox, Group, Text } from '@mantine/core';
import { MonthPickerInput, type MonthPickerInputProps } from '@mantine/dates';
import { useForm } from '@mantine/form';
import { IconPlayerPlay } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { api, dataOf } from '../../http/api.ts';
import { useSession } from '../../http/session.ts';
import { monthOf, type Day } from '../../shared/calendar.ts';
import { calendarOf } from '../../shared/forms/date-fields.ts';
import { DialogButton } from '../../shared/forms/dialog-button.tsx';
import { DialogForm } from '../../shared/forms/dialog-form.tsx';
import type { CostSource } from '../sources-queries.ts';

/** A button that reads a source now. Nobody starts a second run of the same source beside one that is under way. */
export function RunNow({ source }: { source: CostSource }): ReactNode {
  const isRunning = source.last_run?.status === 'running';
  const words = isRunning ? 'Running' : 'Run now';
  return (
    <DialogButton
      button={words}
      size="xs"
      variant="default"
      leftSection={<IconPlayerPlay size={14} aria-hidden />}
      disabled={isRunning}
      aria-label={`${words}: ${source.name}`}
      title={`Run ${source.name} now`}
    >
      {(close) => <RunForm source={source} close={close} />}
    </DialogButton>
  );
}

interface RunValues {
  /** A day in the first month that is read; null for all that there are. */
  from: Day | null;
  /** A day in the last month that is read. */
  to: Day | null;
  acceptShrink: boolean;
  all: boolean;
}

function RunForm({ source, close }: { source: CostSource; close: () => void }): ReactNode {
  const form = useForm<RunValues>({
    initialValues: { from: null, to: null, acceptShrink: false, all: false },
  });
  return (
    <DialogForm
      action="Run"
      send={({ from, to, acceptShrink, all }, signal) =>
        dataOf(
          api.POST('/api/v1/cost-sources/{id}/ingest', {
            params: { path: { id: source.id } },
            body: {
              start_month: from === null ? null : monthOf(from),
              end_month: to === null ? null : monthOf(to),
              accept_shrink: acceptShrink,
              all,
            },
            signal,
          }),
        )
      }
      changes={['sources', 'runs']}
      done={() => `A run of ${source.name} has started.`}
      submit={form.onSubmit}
      close={close}
    >
      <Text size="sm">
        The service reads the billing periods of which something has changed, and replaces what it had of
        them.
      </Text>
      <Group grow align="flex-start">
        <MonthField
          id="run-from-month"
          label="From month"
          placeholder="The first"
          {...form.getInputProps('from')}
        />
        <MonthField id="run-to-month" label="To month" placeholder="The last" {...form.getInputProps('to')} />
      </Group>
      <Checkbox
        label="Read everything again"
        description="Otherwise the run leaves out files that have not changed since the last one."
        {...form.getInputProps('all', { type: 'checkbox' })}
      />
      <Checkbox
        label="Accept that days vanish"
        description="Otherwise the run fails if the source no longer has days that it had before."
        {...form.getInputProps('acceptShrink', { type: 'checkbox' })}
      />
    </DialogForm>
  );
}

/** A month up to the running one, or none. */
function MonthField({
  id,
  label,
  ...field
}: MonthPickerInputProps & { id: string; label: string }): ReactNode {
  const { today } = useSession();
  return (
    <MonthPickerInput
      {...calendarOf(id)}
      {...field}
      label={label}
      valueFormat="YYYY-MM"
      clearable
      clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
      maxDate={today}
    />
  );
}
