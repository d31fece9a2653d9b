import { NativeSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { PERMISSIONS, type Permission } from '../../../domain/organisations/permissions.ts';
import { api, dataOf } from '../../http/api.ts';
import type { Day } from '../../shared/calendar.ts';
import { DialogForm } from '../../shared/forms/dialog-form.tsx';
import { SecretButton, type SecretFormProps } from '../../shared/forms/secret-button.tsx';
import { useSession } from '../../http/session.ts';

const ALLOWS: Record<Permission, string> = {
  read: 'sees spend and metrics, but no revenue',
  write: 'also sends values and starts ingests',
  admin: 'may do everything, also with revenue and keys',
  'metrics:ingest': 'only sends values, for a program',
  'usage:ingest': 'only sends usage of AI tools, for an exporter of OpenTelemetry',
};

const CREATE = 'Create key';

/** A button that opens the form of a new key. The dialog then shows the key's secret once. */
export const CreateKey = (): ReactNode => (
  <SecretButton
    action={CREATE}
    title="Create a key"
    madeTitle="The key is created"
    about="Programs send it as the header X-API-Key. People sign in to these pages with it, unless its permission is metrics:ingest or usage:ingest."
  >
    {(props) => <KeyForm {...props} />}
  </SecretButton>
);

interface Values {
  name: string;
  permission: Permission;
  /** A day, or empty for never. */
  expires: Day;
}

function KeyForm(props: SecretFormProps): ReactNode {
  const { today } = useSession();
  const form = useForm<Values>({ initialValues: { name: '', permission: 'read', expires: '' } });
  return (
    <DialogForm
      {...props}
      action={CREATE}
      send={({ name, permission, expires }, signal) =>
        dataOf(
          api.POST('/api/v1/keys', {
            body: { name, permission, ...(expires === '' ? {} : { expires_at: endOfDay(expires) }) },
            signal,
          }),
        )
      }
      changes={['keys', 'audit-log']}
      submit={form.onSubmit}
    >
      <TextInput
        label="Name"
        description="Who or what will use it, for example “nightly job”"
        required
        withAsterisk={false}
        maxLength={200}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <NativeSelect
        label="Permission"
        data={PERMISSIONS.map((value) => ({ value, label: `${value}: ${ALLOWS[value]}` }))}
        {...form.getInputProps('permission')}
      />
      <TextInput
        label="Expires"
        description="Optional. The key works until the end of this day in UTC."
        type="date"
        min={today}
        {...form.getInputProps('expires')}
      />
    </DialogForm>
  );
}

const endOfDay = (day: Day): string => `${day}T23:59:59Z`;
