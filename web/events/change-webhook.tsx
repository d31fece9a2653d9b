import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { DialogButton } from '../shared/forms/dialog-button.tsx';
import { DialogForm } from '../shared/forms/dialog-form.tsx';
import { useChange } from '../shared/forms/use-change.ts';
import type { Webhook } from './webhooks-query.ts';

/** A button that changes the URL of a webhook. */
export const ChangeWebhook = ({ of }: { of: Webhook }): ReactNode => (
  <DialogButton button="Change URL" size="xs" variant="default" title="Change where events go">
    {(close) => <UrlForm of={of} onClose={close} />}
  </DialogButton>
);

function UrlForm({ of: { id, url }, onClose }: { of: Webhook; onClose: () => void }): ReactNode {
  const form = useForm({ initialValues: { url } });
  const change = useChange({
    send: (body: { url: string }, signal) =>
      dataOf(api.PATCH('/api/v1/webhooks/{id}', { params: { path: { id } }, body, signal })),
    changes: ['webhooks', 'audit-log'],
    done: () => 'The webhook has a new URL.',
    onDone: onClose,
    showsError: true,
  });
  return (
    <DialogForm
      change={change}
      action="Save"
      isReady={form.isDirty()}
      onSubmit={form.onSubmit(change.mutate)}
      onCancel={onClose}
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
