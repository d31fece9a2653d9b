import { Button, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { SECRET_OVERLAP_HOURS } from '../../domain/events/webhook.ts';
import { api, dataOf, type Schema } from '../http/api.ts';
import { Confirmation } from '../shared/forms/confirmation.tsx';
import { Dialog } from '../shared/forms/dialog.tsx';
import { useChange } from '../shared/forms/use-change.ts';
import { ChangeWebhook } from './change-webhook.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import type { Webhook } from './webhooks-query.ts';

const route = getRouteApi('/signed-in/settings');

const BUTTON = { size: 'xs', variant: 'default' } as const;

/** Buttons for what can be done with a webhook beside a test. Whatever ends something asks first. */
export function WebhookActions({ of: { id, url, enabled } }: { of: Webhook }): ReactNode {
  const [asked, setAsked] = useState<'nothing' | 'url' | 'disable' | 'rotate' | 'delete'>('nothing');
  const [secret, setSecret] = useState<string | null>(null);
  const close = (): void => {
    setAsked('nothing');
  };
  const navigate = route.useNavigate();
  const path = { id };
  const switchTo = useChange({
    send: (on: boolean, signal) =>
      dataOf(api.PATCH('/api/v1/webhooks/{id}', { params: { path }, body: { enabled: on }, signal })),
    changes: ['webhooks', 'deliveries', 'audit-log'],
    done: ({ enabled: on }) => (on ? 'The webhook is enabled.' : 'The webhook is disabled.'),
    onDone: close,
  });
  const rotate = useChange({
    send: (_: undefined, signal) =>
      dataOf(api.PATCH('/api/v1/webhooks/{id}', { params: { path }, body: { rotate_secret: true }, signal })),
    changes: ['audit-log'],
    onDone: (changed: Schema<'ChangedWebhook'>) => {
      close();
      setSecret(changed.secret ?? null);
    },
    showsError: true,
  });
  const remove = useChange({
    send: (_: undefined, signal) => dataOf(api.DELETE('/api/v1/webhooks/{id}', { params: { path }, signal })),
    changes: ['webhooks', 'audit-log'],
    done: () => 'The webhook is deleted.',
    onDone: () => {
      void navigate({ search: (before) => ({ ...before, webhook: undefined }), replace: true });
    },
    showsError: true,
  });
  return (
    <>
      <Button
        {...BUTTON}
        onClick={() => {
          setAsked('url');
        }}
      >
        Change URL
      </Button>
      <Button
        {...BUTTON}
        loading={switchTo.isPending}
        onClick={() => {
          if (enabled) setAsked('disable');
          else switchTo.mutate(true);
        }}
      >
        {enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button
        {...BUTTON}
        onClick={() => {
          rotate.reset();
          setAsked('rotate');
        }}
      >
        Rotate secret
      </Button>
      <Button
        {...BUTTON}
        onClick={() => {
          remove.reset();
          setAsked('delete');
        }}
      >
        Delete
      </Button>
      <ChangeWebhook id={id} url={url} opened={asked === 'url'} onClose={close} />
      <Confirmation
        title="Disable the webhook?"
        action="Disable"
        opened={asked === 'disable'}
        change={switchTo}
        onConfirm={() => {
          switchTo.mutate(false);
        }}
        onClose={close}
      >
        <Text size="sm">
          The service sends nothing more to {url}. Pending deliveries fail. Events of the time until you
          enable it again are not sent later.
        </Text>
      </Confirmation>
      <Confirmation
        title="Rotate the secret?"
        action="Rotate"
        isDangerous={false}
        opened={asked === 'rotate'}
        change={rotate}
        onConfirm={() => {
          rotate.mutate(undefined);
        }}
        onClose={close}
      >
        <Text size="sm">
          The service makes a new secret and shows it once. For {SECRET_OVERLAP_HOURS} hours, deliveries carry
          the signatures of both. After that, only the new one counts.
        </Text>
      </Confirmation>
      <Confirmation
        title="Delete the webhook?"
        action="Delete"
        opened={asked === 'delete'}
        change={remove}
        onConfirm={() => {
          remove.mutate(undefined);
        }}
        onClose={close}
      >
        <Text size="sm">
          The service sends nothing more to {url}. Pending deliveries fail. Nobody can see its deliveries any
          more. This cannot be undone.
        </Text>
      </Confirmation>
      <Dialog opened={secret !== null} onClose={close} title="The webhook has a new signature" stays>
        {secret !== null && (
          <WebhookSecret
            secret={secret}
            onStored={() => {
              setSecret(null);
            }}
          />
        )}
      </Dialog>
    </>
  );
}
