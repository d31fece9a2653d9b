import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { Dialog } from '../shared/forms/dialog.tsx';
import { DialogForm } from '../shared/forms/dialog-form.tsx';
import { useChange } from '../shared/forms/use-change.ts';

interface Changed {
  id: string;
  url: string;
  onClose: () => void;
}

/** A dialog that changes the URL of a webhook. */
export const ChangeWebhook = ({ opened, onClose, ...changed }: Changed & { opened: boolean }): ReactNode => (
  <Dialog opened={opened} onClose={onClose} title="Change where events go">
    <UrlForm {...changed} onClose={onClose} />
  </Dialog>
);

function UrlForm({ id, url, onClose }: Changed): ReactNode {
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
      onSubmit={form.onSubmit((values) => {
        change.mutate(values);
      })}
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
