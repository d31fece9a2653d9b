import '@mantine/dates/styles.css';
import { NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { DatePickerInput } from '@mantine/dates';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import { useSession } from '../http/session.ts';
import { calendarOf } from '../shared/forms/date-fields.ts';
import { optionsOf, type OptionField, type OptionsOfSource, type SourceKind } from './source-kinds.ts';
import type { SourceValues } from './source-values.ts';

export type SourceForm = UseFormReturnType<SourceValues>;

/** The name of a source. A new one may go without, if it has a suggested name. */
export const NameField = ({ form, suggested }: { form: SourceForm; suggested?: string }): ReactNode => (
  <TextInput
    label="Name"
    required={suggested === undefined}
    withAsterisk={false}
    placeholder={suggested}
    description={suggested === undefined ? undefined : `If you leave it empty, the name is “${suggested}”.`}
    {...form.getInputProps('name')}
  />
);

export const LocationField = ({
  form,
  description,
  placeholder,
  isRequired = true,
}: {
  form: SourceForm;
  description?: string;
  placeholder?: string;
  isRequired?: boolean;
}): ReactNode => (
  <TextInput
    label={isRequired ? 'Location' : 'Location (optional)'}
    required={isRequired}
    withAsterisk={false}
    spellCheck={false}
    autoComplete="off"
    description={description}
    placeholder={placeholder}
    {...form.getInputProps('location')}
  />
);

/** The options of a kind that `shows` chooses, without those that are decided already. */
export function OptionFields({
  form,
  kind = form.values.kind,
  decided = {},
  shows = () => true,
}: {
  form: SourceForm;
  kind?: SourceKind;
  decided?: Readonly<Record<string, string>>;
  shows?: (field: OptionField, source: OptionsOfSource) => boolean;
}): ReactNode {
  const { location, options } = form.values;
  const source = { location, options: { ...options, ...decided } };
  return optionsOf(kind, source)
    .filter((field) => decided[field.name] === undefined && shows(field, source))
    .map((field) => (
      <OptionInput
        key={field.name}
        field={field}
        isRequired={field.isRequired?.(source) ?? false}
        form={form}
      />
    ));
}

function OptionInput({
  field,
  isRequired,
  form,
}: {
  field: OptionField;
  isRequired: boolean;
  form: SourceForm;
}): ReactNode {
  const { name, label, description, placeholder, choices, isNumber = false } = field;
  const shown = { description, placeholder, required: isRequired, withAsterisk: false };
  const inWords = isRequired ? label : `${label} (optional)`;
  const input = form.getInputProps(`options.${name}`);
  if (choices !== undefined)
    return (
      <Select
        label={label}
        description={description}
        data={Object.entries(choices).map(([value, words]) => ({ value, label: words }))}
        allowDeselect={false}
        {...input}
      />
    );
  if (isNumber)
    return (
      <NumberInput
        label={inWords}
        allowDecimal={false}
        allowNegative={false}
        hideControls
        {...shown}
        {...input}
        onChange={(value) => {
          form.setFieldValue(`options.${name}`, String(value));
        }}
      />
    );
  return <TextInput label={inWords} {...shown} {...input} />;
}

/** What every source has and few need to change. */
export function FurtherFields({ form }: { form: SourceForm }): ReactNode {
  const { organisation, today } = useSession();
  return (
    <>
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
    </>
  );
}
