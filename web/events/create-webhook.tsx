import { Button, Checkbox, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState, type ReactNode } from 'react';
import { EVENT_TYPES, type EventType } from '../../domain/events/webhook.ts';
import { api, dataOf } from '../http/api.ts';
import { Dialog } from '../shared/forms/dialog.tsx';
import { DialogForm } from '../shared/forms/dialog-form.tsx';
import { useChange } from '../shared/forms/use-change.ts';
import { WebhookSecret } from './webhook-secret.tsx';

const MEANS: Record<EventType, string> = {
  'unit_cost.changed': 'a unit cost went above its target, or rose well above its own history',
};

/** A button that opens the form of a new webhook. The dialog then shows the secret of its signatures once. */
export function CreateWebhook(): ReactNode {
  const [shown, setShown] = useState<'nothing' | 'form' | { secret: string }>('nothing');
  const close = (): void => {
    setShown('nothing');
  };
  const hasSecret = typeof shown === 'object';
  return (
    <>
      <Button
        size="xs"
        aria-hidden={shown !== 'nothing'}
        onClick={() => {
          setShown('form');
        }}
      >
        Create webhook
      </Button>
      <Dialog
        opened={shown !== 'nothing'}
        onClose={close}
        title={hasSecret ? 'The webhook is created' : 'Create a webhook'}
        stays={hasSecret}
      >
        {shown === 'form' && <WebhookForm onCreated={setShown} onCancel={close} />}
        {hasSecret && <WebhookSecret secret={shown.secret} onStored={close} />}
      </Dialog>
    </>
  );
}

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
      onSubmit={form.onSubmit((values) => {
        create.mutate(values);
      })}
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
