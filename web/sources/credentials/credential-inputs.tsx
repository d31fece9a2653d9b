import { PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { CREDENTIAL_FORMS, type CredentialType } from './credential-fields.ts';

/** The fields of a type of credentials. */
export const CredentialInputs = ({
  type,
  isOptional = false,
  inputOf,
}: {
  type: CredentialType;
  /** Whether all of them may stay empty, because the operator may have listed the bucket. */
  isOptional?: boolean;
  inputOf: (name: string) => object;
}): ReactNode =>
  CREDENTIAL_FORMS[type].fields.map(({ name, label, description, isSecret, isRequired, isJson }) => {
    const needed = isRequired === true && !isOptional;
    const Input = isJson === true ? Textarea : isSecret === true ? PasswordInput : TextInput;
    return (
      <Input
        key={name}
        label={needed ? label : `${label} (optional)`}
        description={description}
        required={needed}
        withAsterisk={false}
        autoComplete="off"
        {...inputOf(name)}
      />
    );
  });
