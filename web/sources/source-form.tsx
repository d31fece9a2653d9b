import '@mantine/dates/styles.css';
import { Select, Switch, TextInput } from '@mantine/core';
import { DatePickerInput } from '@mantine/dates';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { ComponentProps, ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { calendarOf } from '../shared/forms/date-fields.ts';
import { DialogForm } from '../shared/forms/dialog-form.tsx';
import { credentialTypeOf } from './credentials/credential-fields.ts';
import { CredentialInputs } from './credentials/credential-inputs.tsx';
import { optionsOf, SOURCE_KINDS, type OptionField } from './source-kinds.ts';
import { valuesOf, type SourceValues } from './source-values.ts';
import { SPEND_CHANGES, type CostSource } from './sources-queries.ts';

type Form = UseFormReturnType<SourceValues>;

/** The fields of a source, of its kind, with the API's own words about what is wrong. */
export function SourceForm({
  source,
  ...sent
}: {
  /** The source that is edited; none for a new one. */
  source?: CostSource;
} & Pick<
  ComponentProps<typeof DialogForm<SourceValues, CostSource>>,
  'action' | 'send' | 'done' | 'onDone' | 'close'
>): ReactNode {
  const { organisation, today } = useSession();
  const form = useForm<SourceValues>({ initialValues: valuesOf(source) });
  const { kind, location } = form.values;
  const type = credentialTypeOf(location);
  return (
    <DialogForm {...sent} changes={SPEND_CHANGES} submit={form.onSubmit}>
      <TextInput label="Name" required withAsterisk={false} data-autofocus {...form.getInputProps('name')} />
      <Select
        label="Kind"
        data={Object.entries(SOURCE_KINDS).map(([value, { label }]) => ({ value, label }))}
        allowDeselect={false}
        disabled={source !== undefined}
        description={source === undefined ? undefined : 'The kind of a source cannot change.'}
        {...form.getInputProps('kind')}
      />
      <TextInput
        label="Location"
        required
        withAsterisk={false}
        description={SOURCE_KINDS[kind].location}
        {...form.getInputProps('location')}
      />
      {source === undefined && type !== null && (
        <CredentialInputs
          type={type}
          isOptional
          inputOf={(name) => form.getInputProps(`credentials.${name}`)}
        />
      )}
      {optionsOf(kind).map((field) => (
        <OptionInput key={field.name} field={field} form={form} />
      ))}
      <TextInput
        label="Currency (optional)"
        placeholder={organisation.currency}
        description={`Money is never converted, so it must be ${organisation.currency}.`}
        {...form.getInputProps('currency')}
      />
      <DatePickerInput
        {...calendarOf('source-starts-on')}
        hideOutsideDates
        weekendDays={[]}
        label="Starts on (optional)"
        description="It had no spend before this day. Earlier days are then a known 0, and no month waits for them."
        valueFormat="YYYY-MM-DD"
        placeholder="Not known"
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the day' }}
        maxDate={today}
        {...form.getInputProps('startsOn')}
      />
      <Switch
        label="Read it daily"
        description="If not, its spend stays, and no month waits for it."
        {...form.getInputProps('isRead', { type: 'checkbox' })}
      />
    </DialogForm>
  );
}

function OptionInput({ field, form }: { field: OptionField; form: Form }): ReactNode {
  const { name, label, description, choices, isRequired = false } = field;
  const input = { description, ...form.getInputProps(`options.${name}`) };
  return choices === undefined ? (
    <TextInput
      label={isRequired ? label : `${label} (optional)`}
      required={isRequired}
      withAsterisk={false}
      {...input}
    />
  ) : (
    <Select
      label={label}
      data={Object.entries(choices).map(([value, words]) => ({ value, label: words }))}
      allowDeselect={false}
      {...input}
    />
  );
}
