import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import { EVENT_TYPES, type EventType } from '../../domain/events/webhook.ts';
import { api, dataOf } from '../http/api.ts';
import { DialogForm } from '../shared/forms/dialog-form.tsx';
import { SecretButton, type SecretFormProps } from '../shared/forms/secret-button.tsx';
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
    {(props) => <WebhookForm {...props} />}
  </SecretButton>
);

interface Values {
  url: string;
  events: EventType[];
}

function WebhookForm(props: SecretFormProps): ReactNode {
  const form = useForm<Values>({
    initialValues: { url: '', events: [...EVENT_TYPES] },
    validate: { events: (events) => (events.length === 0 ? 'Choose at least one event' : null) },
  });
  return (
    <DialogForm
      {...props}
      action="Create webhook"
      send={(body, signal) =>
        dataOf(api.POST('/api/v1/webhooks', { body: { ...body, enabled: true }, signal }))
      }
      changes={['webhooks', 'audit-log']}
      submit={form.onSubmit}
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
