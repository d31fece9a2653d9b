import { Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { UPLOAD } from '../../domain/sources/uploads/name-rule.ts';
import { api, dataOf } from '../http/api.ts';
import { ConfirmButton } from '../shared/forms/confirm-button.tsx';
import { DialogButton } from '../shared/forms/dialog-button.tsx';
import { DialogForm } from '../shared/forms/dialog-form.tsx';
import { showAtField } from '../shared/forms/show-at-field.ts';
import { FurtherFields, LocationField, NameField, OptionFields } from './source-fields.tsx';
import { SOURCE_KINDS } from './source-kinds.ts';
import { changesOf, fieldOf, valuesOf, type SourceValues } from './source-values.ts';
import { SPEND_CHANGES, type CostSource } from './sources-queries.ts';

/** A button that changes a source, or pauses its schedule. */
export const EditSource = ({ source }: { source: CostSource }): ReactNode => (
  <DialogButton button="Edit" size="xs" variant="default" title={`Edit ${source.name}`}>
    {(close) => <EditForm source={source} close={close} />}
  </DialogButton>
);

function EditForm({ source, close }: { source: CostSource; close: () => void }): ReactNode {
  const form = useForm<SourceValues>({ initialValues: valuesOf(source) });
  return (
    <DialogForm
      action="Save"
      send={(values: SourceValues, signal) =>
        dataOf(
          api.PATCH('/api/v1/cost-sources/{id}', {
            params: { path: { id: source.id } },
            body: changesOf(values),
            signal,
          }),
        )
      }
      done={({ name }) => `${name} is changed.`}
      changes={SPEND_CHANGES}
      onRefused={showAtField(form, fieldOf)}
      submit={form.onSubmit}
      close={close}
    >
      <NameField form={form} />
      {source.location !== UPLOAD && (
        <LocationField form={form} description={SOURCE_KINDS[source.kind].location} />
      )}
      <OptionFields form={form} />
      <FurtherFields form={form} />
    </DialogForm>
  );
}

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
