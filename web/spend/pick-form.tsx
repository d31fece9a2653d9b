import { Autocomplete, Button, Fieldset, Select, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import type { SpendPick } from '../../domain/spend/spend-pick.ts';
import {
  kindsByHeading,
  PICK_FIELDS,
  PICK_KINDS,
  type FieldName,
  type FieldValues,
  type KindName,
  type PickField,
} from './pick-kinds.ts';
import { useSuggestions } from './pick-suggestions.ts';

/** Most suggestions that a field shows at once. */
const MOST_SHOWN = 50;

/** Fields that make a pick, by the kind of spend. `onAdd` returns why it refuses a pick, or null. */
export const PickForm = ({
  onAdd,
  allowsIdle,
}: {
  onAdd: (pick: SpendPick) => string | null;
  allowsIdle: boolean;
}): ReactNode => {
  const [kind, setKind] = useState<KindName>('namespace');
  const [values, setValues] = useState<FieldValues>({});
  const [blank, setBlank] = useState<readonly FieldName[]>([]);
  const [refusal, setRefusal] = useState<string | null>(null);
  const { fields, pickOf } = PICK_KINDS[kind];
  const last = fields[fields.length - 1];

  const add = (): void => {
    const trimmed: FieldValues = Object.fromEntries(
      fields.map((field) => [field, (values[field] ?? '').trim()]),
    );
    const missing = fields.filter((field) => trimmed[field] === '');
    setBlank(missing);
    if (missing.length > 0) return;
    const reason = onAdd(pickOf(trimmed));
    setRefusal(reason);
    if (reason === null && last !== undefined) setValues({ ...trimmed, [last]: '' });
  };
  // This may stand inside a form, which Enter must not send.
  const addOnEnter = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    // With an active suggestion Enter takes that one.
    if (event.currentTarget.getAttribute('aria-activedescendant') === null) add();
  };

  return (
    <Fieldset legend="Add spend">
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 4 }} spacing="sm">
          <Select
            label="Kind"
            data={kindsByHeading(allowsIdle)}
            value={kind}
            allowDeselect={false}
            onChange={(chosen) => {
              setKind(chosen as KindName);
              setBlank([]);
              setRefusal(null);
            }}
          />
          {fields.map((field) => (
            <SuggestedField
              key={field}
              field={field}
              values={values}
              error={blank.includes(field)}
              onChange={(value) => {
                setValues((before) => ({ ...before, [field]: value }));
                setBlank((before) => before.filter((other) => other !== field));
                setRefusal(null);
              }}
              onKeyDown={addOnEnter}
            />
          ))}
        </SimpleGrid>
        {refusal !== null && (
          <Text c="var(--mantine-color-error)" size="sm" role="alert">
            {refusal}
          </Text>
        )}
        <Button variant="default" size="xs" onClick={add} style={{ alignSelf: 'flex-start' }}>
          Add
        </Button>
      </Stack>
    </Fieldset>
  );
};

const SuggestedField = ({
  field,
  values,
  error,
  onChange,
  onKeyDown,
}: {
  field: FieldName;
  values: FieldValues;
  error: boolean;
  onChange: (value: string) => void;
  onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void;
}): ReactNode => {
  const { label, placeholder }: PickField = PICK_FIELDS[field];
  const suggestions = useSuggestions(field, values);
  const names = new Map(suggestions.map(({ value, name }) => [value, name]));
  return (
    <Autocomplete
      label={label}
      placeholder={placeholder}
      data={suggestions.map(({ value }) => value)}
      limit={MOST_SHOWN}
      maxDropdownHeight={240}
      value={values[field] ?? ''}
      onChange={onChange}
      onKeyDown={onKeyDown}
      error={error && `${label} is missing.`}
      filter={({ options, search, limit }) =>
        options
          .filter((option) => {
            const value = 'value' in option ? option.value : '';
            return `${value} ${names.get(value) ?? ''}`.toLowerCase().includes(search.trim().toLowerCase());
          })
          .slice(0, limit)
      }
      renderOption={({ option: { value } }) => (
        <Stack gap={0} style={{ overflowWrap: 'anywhere' }}>
          <Text size="sm">{value}</Text>
          {(names.get(value) ?? null) !== null && (
            <Text size="xs" c="dimmed">
              {names.get(value)}
            </Text>
          )}
        </Stack>
      )}
    />
  );
};
