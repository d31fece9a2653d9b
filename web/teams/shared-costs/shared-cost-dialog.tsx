import { Alert, Input, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import { api, dataOf } from '../../http/api.ts';
import { Answer } from '../../shared/states.tsx';
import { useChange } from '../../shared/forms/use-change.ts';
import { SpendPicker } from '../../spend/picks/spend-picker.tsx';
import { DialogButton } from '../../shared/forms/dialog-button.tsx';
import { DialogForm } from '../../shared/forms/dialog-form.tsx';
import { TEAM_CHANGES, teamsQuery, type SharedCost } from '../team-queries.ts';
import { draftOf, splitOf } from './split-draft.ts';
import { SplitFields } from './split-fields.tsx';
import type { Split } from './split-words.ts';
import { sentence } from '../../shared/words.ts';

interface Definition {
  name: string;
  spend: SpendPick[];
  split: Split;
}

/** A button that asks for a new shared cost and makes it. */
export const NewSharedCost = (): ReactNode => (
  <SharedCostDialog
    button="New shared cost"
    title="New shared cost"
    action="Create shared cost"
    cost={null}
    send={(body, signal) => dataOf(api.POST('/api/v1/shared-costs', { body, signal }))}
  />
);

/** A button that changes a shared cost. */
export const EditSharedCost = ({ cost }: { cost: SharedCost }): ReactNode => (
  <SharedCostDialog
    button="Edit"
    title={`Edit ${cost.name}`}
    action="Save"
    cost={cost}
    send={(body, signal) =>
      dataOf(api.PATCH('/api/v1/shared-costs/{id}', { params: { path: { id: cost.id } }, body, signal }))
    }
  />
);

type Saved = SharedCost & { warnings: string[] };

interface DialogProps {
  button: string;
  title: string;
  action: string;
  cost: SharedCost | null;
  send: (definition: Definition, signal: AbortSignal) => Promise<Saved>;
}

const SharedCostDialog = (props: DialogProps): ReactNode => (
  <DialogButton
    button={props.button}
    size="xs"
    variant={props.cost === null ? 'filled' : 'default'}
    aria-label={props.title}
    title={props.title}
    isWide
  >
    {(close) => <SharedCostForm {...props} onClose={close} />}
  </DialogButton>
);

function SharedCostForm({ action, cost, send, onClose }: DialogProps & { onClose: () => void }): ReactNode {
  const teams = useQuery(teamsQuery);
  const [name, setName] = useState(cost?.name ?? '');
  const [picks, setPicks] = useState<SpendPick[]>(cost?.spend ?? []);
  const [draft, setDraft] = useState(() => draftOf(cost?.split ?? null));
  const [wasSent, setWasSent] = useState(false);
  const change = useChange({
    send,
    changes: TEAM_CHANGES,
    done: (saved) => `The shared cost ${saved.name} is saved.`,
    showsError: true,
    onDone: ({ warnings }) => {
      if (warnings.length > 0)
        notifications.show({
          title: 'What to know about its spend',
          message: warnings.map(sentence).join(' '),
          color: 'orange',
          autoClose: false,
        });
      onClose();
    },
  });
  const split = splitOf(draft);
  const lacks = {
    name: name.trim() === '' ? 'The name is missing.' : undefined,
    spend: picks.length === 0 ? 'Pick at least some spend.' : undefined,
    split: typeof split === 'string' ? split : undefined,
  };
  return (
    <DialogForm
      change={change}
      action={action}
      onSubmit={() => {
        setWasSent(true);
        if (typeof split === 'string' || lacks.name !== undefined || lacks.spend !== undefined) return;
        change.mutate({ name: name.trim(), spend: picks, split });
      }}
      onCancel={onClose}
    >
      <TextInput
        label="Name"
        data-autofocus
        value={name}
        error={wasSent && lacks.name}
        onChange={({ currentTarget: { value } }) => {
          setName(value);
        }}
      />
      <Stack gap="xs" role="group" aria-label="Spend">
        <Input.Label component="div">Spend</Input.Label>
        <SpendPicker value={picks} onChange={setPicks} user={{ type: 'shared_cost', id: cost?.id }} />
        {wasSent && lacks.spend !== undefined && <Input.Error role="alert">{lacks.spend}</Input.Error>}
      </Stack>
      <Answer query={teams} height={80}>
        {(all) =>
          all.length === 0 ? (
            <Alert color="orange">There is no team yet. Make one before you share costs.</Alert>
          ) : (
            <SplitFields
              draft={draft}
              teams={all}
              onChange={(changes) => {
                setDraft((before) => ({ ...before, ...changes }));
              }}
            />
          )
        }
      </Answer>
      {wasSent && lacks.split !== undefined && <Input.Error role="alert">{lacks.split}</Input.Error>}
    </DialogForm>
  );
}
