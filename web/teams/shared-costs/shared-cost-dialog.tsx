import { Alert, Input, Stack, TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import { api, dataOf } from '../../http/api.ts';
import { Answer } from '../../shared/states.tsx';
import { SpendPicker } from '../../spend/picks/spend-picker.tsx';
import { DialogButton } from '../../shared/forms/dialog-button.tsx';
import { DialogForm } from '../../shared/forms/dialog-form.tsx';
import { showNotice } from '../../shared/forms/notice-list.tsx';
import { TEAM_CHANGES, teamsQuery, type SharedCost } from '../team-queries.ts';
import { draftOf, splitOf, type SplitDraft } from './split-draft.ts';
import { SplitFields } from './split-fields.tsx';
import type { Split } from './split-words.ts';
import { sentence } from '../../shared/sentences.tsx';

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
    {(close) => <SharedCostForm {...props} close={close} />}
  </DialogButton>
);

interface Values {
  name: string;
  spend: SpendPick[];
  draft: SplitDraft;
}

function SharedCostForm({ action, cost, send, close }: DialogProps & { close: () => void }): ReactNode {
  const teams = useQuery(teamsQuery);
  const [isRefused, setRefused] = useState(false);
  const form = useForm<Values>({
    // From then on the errors follow what people type.
    validateInputOnChange: isRefused,
    initialValues: {
      name: cost?.name ?? '',
      spend: cost?.spend ?? [],
      draft: draftOf(cost?.split ?? null),
    },
    validate: {
      name: isNotEmpty('The name is missing.'),
      spend: isNotEmpty('Pick at least some spend.'),
      draft: (draft) => {
        const split = splitOf(draft);
        return typeof split === 'string' ? split : null;
      },
    },
  });
  return (
    <DialogForm
      action={action}
      send={send}
      changes={TEAM_CHANGES}
      done={(saved) => `The shared cost ${saved.name} is saved.`}
      onDone={({ warnings }) => {
        if (warnings.length > 0)
          showNotice({
            title: 'What to know about its spend',
            message: warnings.map(sentence).join(' '),
            color: 'orange',
            autoClose: false,
          });
      }}
      submit={(save) =>
        form.onSubmit(
          ({ name, spend, draft }) => {
            const split = splitOf(draft);
            if (typeof split !== 'string') save({ name: name.trim(), spend, split });
          },
          () => {
            setRefused(true);
          },
        )
      }
      close={close}
    >
      <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
      <Stack gap="xs" role="group" aria-label="Spend">
        <Input.Label component="div">Spend</Input.Label>
        <SpendPicker
          value={form.values.spend}
          onChange={(picks) => {
            form.setFieldValue('spend', picks);
          }}
          user={{ type: 'shared_cost', id: cost?.id }}
        />
        <Problem>{form.errors['spend']}</Problem>
      </Stack>
      <Answer query={teams} height={80}>
        {(all) =>
          all.length === 0 ? (
            <Alert color="orange">There is no team yet. Make one before you share costs.</Alert>
          ) : (
            <SplitFields
              draft={form.values.draft}
              teams={all}
              onChange={(changes) => {
                form.setFieldValue('draft', (before) => ({ ...before, ...changes }));
              }}
            />
          )
        }
      </Answer>
      <Problem>{form.errors['draft']}</Problem>
    </DialogForm>
  );
}

const Problem = ({ children }: { children: ReactNode }): ReactNode =>
  children !== undefined && <Input.Error role="alert">{children}</Input.Error>;
