import { Group, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { api, dataOf } from '../../http/api.ts';
import { useSession } from '../../http/session.ts';
import { ConfirmButton } from '../../shared/forms/confirm-button.tsx';
import { DialogButton } from '../../shared/forms/dialog-button.tsx';
import { DialogForm } from '../../shared/forms/dialog-form.tsx';
import { instantText } from '../../shared/instant.tsx';
import type { CostSource } from '../sources-queries.ts';
import { CREDENTIAL_FORMS, credentialsBody, type CredentialType } from './credential-fields.ts';
import { CredentialInputs } from './credential-inputs.tsx';

interface Shown {
  source: CostSource;
  /** The type that its location takes. */
  type: CredentialType;
}

/** Which credentials a source has, and for admins how to replace and remove them. */
export function SourceCredentials({ source, type }: Shown): ReactNode {
  const { may } = useSession();
  const { credentials } = source;
  return (
    <Group gap="xs">
      <Text size="sm">
        {credentials === null
          ? 'None. The operator may have listed the bucket.'
          : `${CREDENTIAL_FORMS[credentials.type].label}: ${credentials.hint}, set ${instantText(credentials.set_at)}`}
      </Text>
      {may('admin') && (
        <DialogButton
          button={credentials === null ? 'Set credentials' : 'Replace'}
          size="xs"
          variant="default"
          title={`Credentials of ${source.name}`}
        >
          {(close) => <CredentialsForm source={source} type={type} close={close} />}
        </DialogButton>
      )}
      {may('admin') && credentials !== null && <RemoveCredentials source={source} />}
    </Group>
  );
}

function CredentialsForm({ source: { id, name }, type, close }: Shown & { close: () => void }): ReactNode {
  const names = CREDENTIAL_FORMS[type].fields.map((field) => field.name);
  const form = useForm<Record<string, string>>({
    initialValues: Object.fromEntries(names.map((field) => [field, ''])),
  });
  return (
    <DialogForm
      action="Save"
      send={(values, signal) =>
        dataOf(
          api.PUT('/api/v1/cost-sources/{id}/credentials', {
            params: { path: { id } },
            body: credentialsBody(type, values) ?? { type },
            signal,
          }),
        )
      }
      changes={['sources']}
      done={() => `The credentials of ${name} open its location, and are stored.`}
      submit={form.onSubmit}
      close={close}
    >
      <Text size="sm">They are tried first, stored encrypted, and never shown again.</Text>
      <CredentialInputs type={type} inputOf={(field) => form.getInputProps(field)} />
    </DialogForm>
  );
}

const RemoveCredentials = ({ source: { id, name } }: Pick<Shown, 'source'>): ReactNode => (
  <ConfirmButton
    button="Remove"
    size="xs"
    variant="default"
    title={`Remove the credentials of ${name}?`}
    action="Remove"
    send={(signal) =>
      dataOf(api.DELETE('/api/v1/cost-sources/{id}/credentials', { params: { path: { id } }, signal }))
    }
    changes={['sources']}
    done={() => `The credentials of ${name} are removed.`}
  >
    <Text size="sm">
      Its runs fail from now on, unless the operator has listed the bucket. Its spend stays.
    </Text>
  </ConfirmButton>
);
