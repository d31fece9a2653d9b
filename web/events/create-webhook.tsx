import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { EVENT_TYPES, type EventType } from '../../domain/events/webhook.ts';
import { api, dataOf } from '../http/api.ts';
import { DialogForm } from '../shared/forms/dialog-form.tsx';
import { SecretButton } from '../shared/forms/secret-button.tsx';
import { useChange } from '../shared/forms/use-change.ts';
import { AboutSignatures } from './about-signatures.tsx';

const MEANS: Record<EventType, string> = {
  'unit_cost.changed': 'a unit cost went above its target, or rose well above its own history',
};

/** A button that opens the form of a new webhook. The dialog then shows the secret of its signatures once. */
export const CreateWebhook = (): ReactNode => (
  <SecretButton
    action="Create webhook"
    title="Create a webhook"
    madeTitle="The webhook is created"
    about={<AboutSignatures />}
  >
    {(onCreated, onCancel) => <WebhookForm onCreated={onCreated} onCancel={onCancel} />}
  </SecretButton>
);

interface Values {
  url: string;
  events: EventType[];
}

function WebhookForm({
  onCreated,
  onCancel,
}: {
  onCreated: (webhook: { secret: string }) => void;
  onCancel: () => void;
}): ReactNode {
  const form = useForm<Values>({
    initialValues: { url: '', events: [...EVENT_TYPES] },
    validate: { events: (events) => (events.length === 0 ? 'Choose at least one event' : null) },
  });
  const create = useChange({
    send: (body: Values, signal) =>
      dataOf(api.POST('/api/v1/webhooks', { body: { ...body, enabled: true }, signal })),
    changes: ['webhooks', 'audit-log'],
    onDone: onCreated,
    showsError: true,
  });
  return (
    <DialogForm
      change={create}
      action="Create webhook"
      onSubmit={form.onSubmit(create.mutate)}
      onCancel={onCancel}
    >
      <TextInput
        label="URL"
        description="The service sends each event there as a POST of JSON. Its host must be reachable for the service."
        type="url"
        placeholder="https://example.com/hooks/costs"
        required
        withAsterisk={false}
        maxLength={2000}
        data-autofocus
        {...form.getInputProps('url')}
      />
      <Checkbox.Group label="Events" {...form.getInputProps('events')}>
        <Stack gap="xs" mt="xs">
          {EVENT_TYPES.map((type) => (
            <Checkbox key={type} value={type} label={type} description={MEANS[type]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </DialogForm>
  );
}
