import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, dataOf } from '../../http/api.ts';
import { Form } from '../../shared/forms/form.tsx';
import { useChange } from '../../shared/forms/use-change.ts';
import { countText } from '../../shared/numbers.ts';
import type { CostSource } from '../sources-queries.ts';
import { ChosenFiles } from './chosen-files.tsx';
import { canSend, useFileQueue } from './use-file-queue.ts';

/** Sends files of a source that is there already, and starts a run that reads them. */
export function AddFiles({
  source: { id, name },
  close,
}: {
  source: CostSource;
  close: () => void;
}): ReactNode {
  const queue = useFileQueue();
  const change = useChange({
    send: async (_: undefined, signal) => {
      const refused = await queue.send(id, signal);
      if (refused === 0)
        await dataOf(
          api.POST('/api/v1/cost-sources/{id}/ingest', { params: { path: { id } }, body: {}, signal }),
        );
      return refused;
    },
    changes: ['source-files', 'sources', 'runs'],
    done: (refused) => (refused === 0 ? `A run of ${name} has started.` : null),
    onDone: (refused) => {
      if (refused === 0) close();
    },
    showsError: true,
  });
  return (
    <Form
      change={change}
      action="Send and read"
      justify="flex-end"
      isReady={canSend(queue)}
      onSubmit={() => {
        change.mutate(undefined);
      }}
    >
      <ChosenFiles queue={queue} isSending={change.isPending} />
      {change.data !== undefined && change.data > 0 && !change.isPending && (
        <Alert color="red" role="alert">
          {countText(change.data, 'file')} could not be sent. Remove what cannot be sent, or try again.
        </Alert>
      )}
    </Form>
  );
}
