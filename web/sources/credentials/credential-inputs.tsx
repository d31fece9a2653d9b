import { Button, FileButton, Group, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactNode } from 'react';
import type { CredentialType } from '../../../domain/sources/credentials.ts';
import { CREDENTIAL_FIELDS, type CredentialField, type EnteredCredentials } from './credential-fields.ts';
import { chooseAgain } from '../../shared/forms/choose-again.ts';

/** The inputs of a type of credentials that `shows` chooses, in a form that has them as `credentials`. */
export const CredentialInputs = <Values extends { credentials: EnteredCredentials }>({
  type,
  form,
  shows = () => true,
}: {
  type: CredentialType;
  form: UseFormReturnType<Values>;
  shows?: (field: CredentialField) => boolean;
}): ReactNode =>
  CREDENTIAL_FIELDS[type].filter(shows).map((field) => (
    <CredentialInput
      key={field.name}
      field={field}
      input={form.getInputProps(`credentials.${field.name}`) as InputProps}
      set={(text) => {
        form.setFieldValue(`credentials.${field.name}`, text as never);
      }}
    />
  ));

interface InputProps {
  value: string;
  error?: ReactNode;
  onChange: (value: unknown) => void;
}

function CredentialInput({
  field: { label, description, placeholder, shows },
  input,
  set,
}: {
  field: CredentialField;
  input: InputProps;
  set: (text: string) => void;
}): ReactNode {
  const shown = { label, description, placeholder, ...input };
  // Without this, browsers offer to fill in or to keep the password of the page.
  if (shows === 'dots')
    return (
      <PasswordInput
        autoComplete="new-password"
        aria-invalid={Boolean(input.error) || undefined}
        {...shown}
      />
    );
  if (shows === 'text') return <TextInput autoComplete="off" spellCheck={false} {...shown} />;
  return (
    <Stack gap={4}>
      <Textarea
        autoComplete="off"
        spellCheck={false}
        autosize
        minRows={2}
        maxRows={5}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        {...shown}
      />
      <Group>
        <FileButton
          accept=".json,application/json"
          onChange={(file) => {
            if (file !== null) void file.text().then(set);
          }}
          inputProps={{ ...chooseAgain, 'aria-label': 'Choose the key file' }}
        >
          {(props) => (
            <Button {...props} size="xs" variant="default">
              Choose the key file
            </Button>
          )}
        </FileButton>
      </Group>
    </Stack>
  );
}
