import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { useSession } from '../../http/session.ts';
import { monthOf } from '../../shared/calendar.ts';
import { Dimmed } from '../../shared/dimmed.tsx';
import { NumberField } from '../../shared/forms/number-field.tsx';
import { numberIn, problemIn } from '../../shared/forms/number-entry.ts';
import { valueRule } from '../metric-numbers.ts';
import { NUMBERS_OF_METRICS, type ShownMetric } from '../metric-queries.ts';
import { useSetValue } from './use-value-edits.ts';
import { DialogButton } from '../../shared/forms/dialog-button.tsx';
import { DialogForm } from '../../shared/forms/dialog-form.tsx';

/** The button and form for one value of a metric. */
export const AddValue = ({ metric }: { metric: ShownMetric }): ReactNode => (
  <DialogButton button="Add value" size="xs" variant="default" title={`Add to ${metric.name}`}>
    {(close) => <ValueForm metric={metric} close={close} />}
  </DialogButton>
);

function ValueForm({ metric, close }: { metric: ShownMetric; close: () => void }): ReactNode {
  const { today, organisation } = useSession();
  const rule = valueRule(metric.kind, organisation.currency);
  const newest = metric.frequency === 'daily' ? today : monthOf(today);
  const form = useForm({
    initialValues: { period: newest, label: '', value: '' },
    validate: {
      period: (period) =>
        period === '' ? `Expected a ${metric.frequency === 'daily' ? 'day' : 'month'}` : null,
      label: (label) =>
        metric.label_key !== null && label.trim() === '' ? `Expected a ${metric.label_key}` : null,
      value: (value) => problemIn(value, rule, { isRequired: true }),
    },
  });
  const setValue = useSetValue(metric.id);
  return (
    <DialogForm
      action="Save"
      send={setValue}
      changes={NUMBERS_OF_METRICS}
      done={({ created, unchanged }, { period }) =>
        unchanged > 0
          ? `${period} has this value already.`
          : `${metric.name}: the value of ${period} is ${created > 0 ? 'stored' : 'replaced'}.`
      }
      submit={(send) =>
        form.onSubmit(({ period, label, value: written }) => {
          const value = numberIn(written, rule);
          if (value === null) return;
          send({ period, label: metric.label_key === null ? undefined : label.trim(), value });
        })
      }
      close={close}
    >
      <TextInput
        label="Period"
        type={metric.frequency === 'daily' ? 'date' : 'month'}
        max={newest}
        required
        data-autofocus
        {...form.getInputProps('period')}
      />
      {metric.label_key !== null && (
        <TextInput
          label="Label"
          description={`The ${metric.label_key} that the value belongs to`}
          required
          {...form.getInputProps('label')}
        />
      )}
      <NumberField
        rule={rule}
        label="Value"
        description={
          metric.kind === 'revenue' ? `Net revenue in ${organisation.currency}` : `In ${metric.unit}`
        }
        required
        {...form.getInputProps('value')}
      />
      <Dimmed size="xs">A value that is there already is replaced. The history keeps it.</Dimmed>
    </DialogForm>
  );
}
