import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { DialogButton } from '../shared/forms/dialog-button.tsx';
import { DialogForm } from '../shared/forms/dialog-form.tsx';
import type { Webhook } from './webhooks-query.ts';

export const ChangeWebhook = ({ of }: { of: Webhook }): ReactNode => (
  <DialogButton button="Change URL" size="xs" variant="default" title="Change where events go">
    {(close) => <UrlForm of={of} close={close} />}
  </DialogButton>
);

function UrlForm({ of: { id, url }, close }: { of: Webhook; close: () => void }): ReactNode {
  const form = useForm({ initialValues: { url } });
  return (
    <DialogForm
      action="Save"
      isReady={form.isDirty()}
      send={(body, signal) =>
        dataOf(api.PATCH('/api/v1/webhooks/{id}', { params: { path: { id } }, body, signal }))
      }
      changes={['webhooks', 'audit-log']}
      done={() => 'The webhook has a new URL.'}
      submit={form.onSubmit}
      close={close}
    >
      <TextInput
        label="URL"
        description="Pending deliveries go there, too. The secret stays."
        type="url"
        required
        withAsterisk={false}
        maxLength={2000}
        data-autofocus
        {...form.getInputProps('url')}
      />
    </DialogForm>
  );
}
