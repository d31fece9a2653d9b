import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { ConfirmButton } from '../shared/forms/confirm-button.tsx';
import { DialogButton } from '../shared/forms/dialog-button.tsx';
import { SourceForm } from './source-form.tsx';
import { bodyOfNew, changesOf } from './source-values.ts';
import { SPEND_CHANGES, type CostSource } from './sources-queries.ts';

/** A button that connects a new source, and leads to it. */
export const NewSource = (): ReactNode => (
  <DialogButton button="New source" size="sm" title="New source">
    {(close) => <NewSourceForm close={close} />}
  </DialogButton>
);

function NewSourceForm({ close }: { close: () => void }): ReactNode {
  const navigate = useNavigate();
  return (
    <SourceForm
      action="Connect"
      send={(values, signal) => dataOf(api.POST('/api/v1/cost-sources', { body: bodyOfNew(values), signal }))}
      done={({ name }) => `${name} is connected. Run it now, or wait for the daily run.`}
      onDone={({ id }) => {
        void navigate({ to: '/sources/$id', params: { id } });
      }}
      close={close}
    />
  );
}

/** A button that changes a source, or pauses its schedule. */
export const EditSource = ({ source }: { source: CostSource }): ReactNode => (
  <DialogButton button="Edit" size="xs" variant="default" title={`Edit ${source.name}`}>
    {(close) => (
      <SourceForm
        source={source}
        action="Save"
        send={(values, signal) =>
          dataOf(
            api.PATCH('/api/v1/cost-sources/{id}', {
              params: { path: { id: source.id } },
              body: changesOf(values),
              signal,
            }),
          )
        }
        done={({ name }) => `${name} is changed.`}
        close={close}
      />
    )}
  </DialogButton>
);

/** A button that deletes a source after it has said what goes and what stays. */
export function DeleteSource({ source: { id, name } }: { source: CostSource }): ReactNode {
  const navigate = useNavigate();
  return (
    <ConfirmButton
      button="Delete"
      size="xs"
      variant="default"
      c="var(--mantine-color-error)"
      title={`Delete ${name}?`}
      action="Delete"
      send={(signal) => dataOf(api.DELETE('/api/v1/cost-sources/{id}', { params: { path: { id } }, signal }))}
      changes={SPEND_CHANGES.filter((subject) => subject !== 'runs')}
      done={() => `${name} is deleted.`}
      onDone={() => {
        void navigate({ to: '/sources' });
      }}
    >
      <Text size="sm">
        Its spend no longer counts anywhere, except in locked months and sealed bills. The service no longer
        reads it. This cannot be undone.
      </Text>
      <Text size="sm">To stop reading it and keep its spend, edit it and pause its schedule instead.</Text>
    </ConfirmButton>
  );
}
