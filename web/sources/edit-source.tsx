import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { useChange } from '../shared/forms/use-change.ts';
import { Confirmation } from '../shared/forms/confirmation.tsx';
import { Dialog } from '../shared/forms/dialog.tsx';
import { bodyOfNew, changesOf, SourceForm, type SourceValues } from './source-form.tsx';
import { SPEND_CHANGES, type CostSource } from './sources-queries.ts';

/** A button that connects a new source, and leads to it. */
export function NewSource(): ReactNode {
  const [opened, { open, close }] = useDisclosure();
  const navigate = useNavigate();
  const create = useChange({
    send: (values: SourceValues, signal) =>
      dataOf(api.POST('/api/v1/cost-sources', { body: bodyOfNew(values), signal })),
    changes: SPEND_CHANGES,
    done: ({ name }) => `${name} is connected. Run it now, or wait for the daily run.`,
    onDone: ({ id }) => {
      close();
      void navigate({ to: '/sources/$id', params: { id } });
    },
    showsError: true,
  });
  return (
    <>
      <Button size="sm" onClick={open}>
        New source
      </Button>
      <Dialog opened={opened} onClose={close} title="New source">
        <SourceForm change={create} close={close} />
      </Dialog>
    </>
  );
}

/** A button that changes a source, or pauses its schedule. */
export function EditSource({ source }: { source: CostSource }): ReactNode {
  const [opened, { open, close }] = useDisclosure();
  const change = useChange({
    send: (values: SourceValues, signal) =>
      dataOf(
        api.PATCH('/api/v1/cost-sources/{id}', {
          params: { path: { id: source.id } },
          body: changesOf(values),
          signal,
        }),
      ),
    changes: SPEND_CHANGES,
    done: ({ name }) => `${name} is changed.`,
    onDone: close,
    showsError: true,
  });
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        Edit
      </Button>
      <Dialog opened={opened} onClose={close} title={`Edit ${source.name}`}>
        <SourceForm source={source} change={change} close={close} />
      </Dialog>
    </>
  );
}

/** A button that deletes a source after it has said what goes and what stays. */
export function DeleteSource({ source }: { source: CostSource }): ReactNode {
  const [opened, { open, close }] = useDisclosure();
  const navigate = useNavigate();
  const remove = useChange({
    send: (_: undefined, signal) =>
      dataOf(api.DELETE('/api/v1/cost-sources/{id}', { params: { path: { id: source.id } }, signal })),
    changes: SPEND_CHANGES.filter((subject) => subject !== 'runs'),
    done: () => `${source.name} is deleted.`,
    onDone: () => {
      void navigate({ to: '/sources' });
    },
    showsError: true,
  });
  return (
    <>
      <Button size="xs" variant="default" c="var(--mantine-color-error)" onClick={open}>
        Delete
      </Button>
      <Confirmation
        title={`Delete ${source.name}?`}
        opened={opened}
        onClose={close}
        action="Delete"
        change={remove}
        onConfirm={() => {
          remove.mutate(undefined);
        }}
      >
        <Text size="sm">
          Its spend no longer counts anywhere, except in locked months and sealed bills. The service no longer
          reads it. This cannot be undone.
        </Text>
        <Text size="sm">To stop reading it and keep its spend, edit it and pause its schedule instead.</Text>
      </Confirmation>
    </>
  );
}
