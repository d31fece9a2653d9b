import { Group, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { CredentialType } from '../../../domain/sources/credentials.ts';
import { api, dataOf } from '../../http/api.ts';
import { useSession } from '../../http/session.ts';
import { Dimmed } from '../../shared/dimmed.tsx';
import { ConfirmButton } from '../../shared/forms/confirm-button.tsx';
import { DialogButton } from '../../shared/forms/dialog-button.tsx';
import { DialogForm } from '../../shared/forms/dialog-form.tsx';
import { showAtField } from '../../shared/forms/show-at-field.ts';
import { instantText } from '../../shared/instant.tsx';
import { fieldOf } from '../source-values.ts';
import { SPEND_CHANGES, type CostSource } from '../sources-queries.ts';
import { credentialsBody, NO_CREDENTIALS, typeFor, type EnteredCredentials } from './credential-fields.ts';
import { CredentialInputs } from './credential-inputs.tsx';

const BUTTON = { size: 'xs', variant: 'default' } as const;

const isOfVendor = ({ options }: CostSource): boolean => 'vendor' in options;

/** Returns the type of credentials that a source takes; null if it takes none. */
export const typeOfSource = (source: CostSource): CredentialType | null =>
  typeFor(source.location, isOfVendor(source) ? 'token' : undefined);

/** What opens a source, as far as it is shown, and buttons to replace and to remove it. */
export function SourceCredentials({ source, type }: { source: CostSource; type: CredentialType }): ReactNode {
  const { may } = useSession();
  const { credentials: stored } = source;
  return (
    <Group gap="xs">
      {stored === null ? (
        <Dimmed>
          None.{' '}
          {type === 'token'
            ? 'The vendor refuses it.'
            : 'The service’s own are used, if its operator allows that.'}
        </Dimmed>
      ) : (
        <span>
          {stored.hint}, set on {instantText(stored.set_at)}
        </span>
      )}
      {may('admin') && (
        <DialogButton
          {...BUTTON}
          button={stored === null ? 'Add credentials' : 'Replace credentials'}
          title={`Credentials of ${source.name}`}
        >
          {(close) => <CredentialsForm source={source} type={type} close={close} />}
        </DialogButton>
      )}
      {may('admin') && stored !== null && <RemoveCredentials source={source} />}
    </Group>
  );
}

function CredentialsForm({
  source: { id, name },
  type,
  close,
}: {
  source: CostSource;
  type: CredentialType;
  close: () => void;
}): ReactNode {
  const form = useForm<{ credentials: EnteredCredentials }>({
    initialValues: { credentials: NO_CREDENTIALS },
  });
  return (
    <DialogForm
      action="Save"
      send={({ credentials }: { credentials: EnteredCredentials }, signal) =>
        dataOf(
          api.PUT('/api/v1/cost-sources/{id}/credentials', {
            params: { path: { id } },
            body: credentialsBody(type, credentials) ?? { type },
            signal,
          }),
        )
      }
      changes={SPEND_CHANGES}
      done={() => `The credentials of ${name} are stored. The next run uses them.`}
      onRefused={showAtField(form, fieldOf)}
      submit={form.onSubmit}
      close={close}
    >
      <Text size="sm">
        They are checked, stored encrypted and never shown again. They take the place of those before.
      </Text>
      <CredentialInputs type={type} form={form} />
    </DialogForm>
  );
}

const RemoveCredentials = ({ source: { id, name } }: { source: CostSource }): ReactNode => (
  <ConfirmButton
    {...BUTTON}
    button="Remove credentials"
    title={`Remove the credentials of ${name}?`}
    action="Remove"
    send={(signal) =>
      dataOf(api.DELETE('/api/v1/cost-sources/{id}/credentials', { params: { path: { id } }, signal }))
    }
    changes={SPEND_CHANGES}
    done={() => `The credentials of ${name} are removed.`}
  >
    <Text size="sm">
      Runs of the source fail without them, unless its operator allows the location. Its spend stays.
    </Text>
  </ConfirmButton>
);
