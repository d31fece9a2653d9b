import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { SECRET_OVERLAP_HOURS } from '../../domain/events/webhook.ts';
import { api, dataOf, type Schema } from '../http/api.ts';
import { Confirmation } from '../shared/confirmation.tsx';
import { Dialog } from '../shared/dialog.tsx';
import { useChange } from '../shared/use-change.ts';
import { ChangeWebhook } from './change-webhook.tsx';
import { WebhookSecret } from './webhook-secret.tsx';
import type { Webhook } from './webhooks-query.ts';

const CHANGES = ['webhooks', 'audit-log'];

/** What can be done with a webhook beside a test. Whatever ends something asks first. */
export const WebhookMenu = ({ of: { id, url, enabled } }: { of: Webhook }): ReactNode => {
  const [asked, setAsked] = useState<'nothing' | 'url' | 'disable' | 'rotate' | 'delete'>('nothing');
  const [secret, setSecret] = useState<string | null>(null);
  const close = (): void => {
    setAsked('nothing');
  };
  const path = { id };
  const switchTo = useChange({
    send: (on: boolean) =>
      dataOf(api.PATCH('/api/v1/webhooks/{id}', { params: { path }, body: { enabled: on } })),
    changes: CHANGES,
    done: ({ enabled: on }) => (on ? 'The webhook is enabled.' : 'The webhook is disabled.'),
    onDone: close,
  });
  const rotate = useChange({
    send: () =>
      dataOf(api.PATCH('/api/v1/webhooks/{id}', { params: { path }, body: { rotate_secret: true } })),
    changes: CHANGES,
    onDone: (changed: Schema<'ChangedWebhook'>) => {
      close();
      setSecret(changed.secret ?? null);
    },
    showsError: true,
  });
  const remove = useChange({
    send: () => dataOf(api.DELETE('/api/v1/webhooks/{id}', { params: { path } })),
    changes: CHANGES,
    done: () => 'The webhook is deleted.',
    onDone: close,
    showsError: true,
  });
  return (
    <>
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="default" size="sm" aria-label={`More for ${url}`}>
            <IconDots size={14} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            onClick={() => {
              setAsked('url');
            }}
          >
            Change URL
          </Menu.Item>
          <Menu.Item
            onClick={() => {
              if (enabled) setAsked('disable');
              else switchTo.mutate(true);
            }}
          >
            {enabled ? 'Disable' : 'Enable'}
          </Menu.Item>
          <Menu.Item
            onClick={() => {
              rotate.reset();
              setAsked('rotate');
            }}
          >
            Rotate the secret
          </Menu.Item>
          <Menu.Item
            onClick={() => {
              remove.reset();
              setAsked('delete');
            }}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
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
        color="blue"
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
      <Dialog opened={secret !== null} onClose={close} title="The webhook is signed anew" stays>
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
};
