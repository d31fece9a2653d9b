import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SECRET_OVERLAP_HOURS } from '../../domain/events/webhook.ts';
import { api, dataOf } from '../http/api.ts';
import { ConfirmButton } from '../shared/forms/confirm-button.tsx';
import { Dialog } from '../shared/forms/dialog.tsx';
import { DialogForm, withoutFields } from '../shared/forms/dialog-form.tsx';
import { SecretButton } from '../shared/forms/secret-button.tsx';
import { useChange } from '../shared/forms/use-change.ts';
import { AboutSignatures } from './about-signatures.tsx';
import { ChangeWebhook } from './change-webhook.tsx';
import type { Webhook } from './webhooks-query.ts';

const route = getRouteApi('/signed-in/settings');

const BUTTON = { size: 'xs', variant: 'default' } as const;

/** Buttons for what can be done with a webhook beside a test. Whatever ends something asks first. */
export const WebhookActions = ({ of }: { of: Webhook }): ReactNode => (
  <>
    <ChangeWebhook of={of} />
    <Switch of={of} />
    <RotateSecret of={of} />
    <DeleteWebhook of={of} />
  </>
);

function Switch({ of: { id, url, enabled } }: { of: Webhook }): ReactNode {
  const [opened, { open, close }] = useDisclosure();
  const switched = {
    send: (on: boolean, signal: AbortSignal) =>
      dataOf(api.PATCH('/api/v1/webhooks/{id}', { params: { path: { id } }, body: { enabled: on }, signal })),
    changes: ['webhooks', 'deliveries', 'audit-log'],
    done: (webhook: Webhook) => (webhook.enabled ? 'The webhook is enabled.' : 'The webhook is disabled.'),
  };
  const enable = useChange(switched);
  return (
    <>
      <Button
        {...BUTTON}
        loading={enable.isPending}
        onClick={() => {
          if (enabled) open();
          else enable.mutate(true);
        }}
      >
        {enabled ? 'Disable' : 'Enable'}
      </Button>
      <Dialog opened={opened} onClose={close} title="Disable the webhook?">
        <DialogForm
          {...switched}
          action="Disable"
          isDangerous
          submit={(send) => () => {
            send(false);
          }}
          close={close}
        >
          <Text size="sm">
            The service sends nothing more to {url}. Pending deliveries fail. Events of the time until you
            enable it again are not sent later.
          </Text>
        </DialogForm>
      </Dialog>
    </>
  );
}

const RotateSecret = ({ of: { id } }: { of: Webhook }): ReactNode => (
  <SecretButton
    {...BUTTON}
    action="Rotate secret"
    title="Rotate the secret?"
    madeTitle="The webhook has a new signature"
    about={<AboutSignatures />}
  >
    {({ onDone, close }) => (
      <DialogForm
        action="Rotate"
        send={(_: undefined, signal) =>
          dataOf(
            api.PATCH('/api/v1/webhooks/{id}', {
              params: { path: { id } },
              body: { rotate_secret: true },
              signal,
            }),
          )
        }
        changes={['audit-log']}
        onDone={({ secret }) => {
          if (secret !== undefined) onDone({ secret });
        }}
        submit={withoutFields}
        close={close}
      >
        <Text size="sm">
          The service makes a new secret and shows it once. For {SECRET_OVERLAP_HOURS} hours, deliveries carry
          the signatures of both. After that, only the new one counts.
        </Text>
      </DialogForm>
    )}
  </SecretButton>
);

function DeleteWebhook({ of: { id, url } }: { of: Webhook }): ReactNode {
  const navigate = route.useNavigate();
  return (
    <ConfirmButton
      {...BUTTON}
      button="Delete"
      title="Delete the webhook?"
      action="Delete"
      send={(signal) => dataOf(api.DELETE('/api/v1/webhooks/{id}', { params: { path: { id } }, signal }))}
      changes={['webhooks', 'audit-log']}
      done={() => 'The webhook is deleted.'}
      onDone={() => {
        void navigate({ search: (before) => ({ ...before, webhook: undefined }), replace: true });
      }}
    >
      <Text size="sm">
        The service sends nothing more to {url}. Pending deliveries fail. Nobody can see its deliveries any
        more. This cannot be undone.
      </Text>
    </ConfirmButton>
  );
}
