import { Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CredentialInputs } from '../credentials/credential-inputs.tsx';
import { FurtherFields, NameField, OptionFields, type SourceForm } from '../source-fields.tsx';
import type { OptionField, OptionsOfSource } from '../source-kinds.ts';
import { typeOf, type Way } from './ways.ts';

/** Whether a new source mostly needs an option. */
const isNeeded = ({ isUsual, isRequired }: OptionField, source: OptionsOfSource): boolean =>
  isUsual === true || isRequired?.(source) === true;

/** The name of a new source, what opens it, and its options. What few need shows on demand. */
export function Settings({
  form,
  way: { kind, options },
  way,
  suggestedName,
  showsMore,
  setShowsMore,
}: {
  form: SourceForm;
  way: Way;
  suggestedName: string;
  showsMore: boolean;
  setShowsMore: (showsMore: boolean) => void;
}): ReactNode {
  const type = typeOf(way, form.values.location);
  return (
    <>
      <NameField form={form} suggested={suggestedName} />
      {type !== null && (
        <Stack gap="sm">
          <Text size="sm">
            Credentials are stored encrypted, belong to this source only, and are never shown again.
          </Text>
          <CredentialInputs type={type} form={form} shows={({ isRare }) => isRare !== true} />
        </Stack>
      )}
      <OptionFields form={form} kind={kind} decided={options} shows={isNeeded} />
      <Button
        variant="subtle"
        size="xs"
        w="fit-content"
        aria-expanded={showsMore}
        onClick={() => {
          setShowsMore(!showsMore);
        }}
      >
        {showsMore ? 'Fewer settings' : 'More settings'}
      </Button>
      {showsMore && (
        <>
          {type !== null && (
            <CredentialInputs type={type} form={form} shows={({ isRare }) => isRare === true} />
          )}
          <OptionFields
            form={form}
            kind={kind}
            decided={options}
            shows={(...option) => !isNeeded(...option)}
          />
          <FurtherFields form={form} />
        </>
      )}
    </>
  );
}
