import { TextInput } from '@mantine/core';
import { isNotEmpty, useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { DialogButton } from '../shared/forms/dialog-button.tsx';
import { DialogForm } from '../shared/forms/dialog-form.tsx';
import { TEAM_CHANGES, type Team } from './team-queries.ts';

/** A button that asks for the name of a new team, makes it, and goes on to what it owns. */
export function NewTeam(): ReactNode {
  const navigate = useNavigate();
  return (
    <NameDialog
      button="New team"
      title="New team"
      action="Create team"
      name=""
      send={(name, signal) => dataOf(api.POST('/api/v1/teams', { body: { name }, signal }))}
      done={(team) => `The team ${team.name} is there. Choose what it owns.`}
      onDone={({ id }) => {
        void navigate({ to: '/teams/$id', params: { id }, search: { show: 'ownership' } });
      }}
    />
  );
}

/** A button that asks for another name of a team. */
export const RenameTeam = ({ team: { id, name } }: { team: Team }): ReactNode => (
  <NameDialog
    button="Rename"
    title={`Rename ${name}`}
    action="Rename"
    name={name}
    send={(next, signal) =>
      dataOf(api.PATCH('/api/v1/teams/{id}', { params: { path: { id } }, body: { name: next }, signal }))
    }
    done={(team) => `The team is called ${team.name} now.`}
  />
);

interface Naming {
  action: string;
  name: string;
  send: (name: string, signal: AbortSignal) => Promise<Team>;
  done: (team: Team) => string;
  onDone?: (team: Team) => void;
}

const NameDialog = ({ button, title, ...naming }: Naming & { button: string; title: string }): ReactNode => (
  <DialogButton button={button} size="xs" variant={naming.name === '' ? 'filled' : 'default'} title={title}>
    {(close) => <NameForm {...naming} close={close} />}
  </DialogButton>
);

function NameForm({ name, send, ...naming }: Naming & { close: () => void }): ReactNode {
  const form = useForm({
    initialValues: { name },
    validate: { name: isNotEmpty('The name is missing.') },
  });
  return (
    <DialogForm
      {...naming}
      send={(written, signal) => send(written.name.trim(), signal)}
      changes={TEAM_CHANGES}
      submit={form.onSubmit}
    >
      <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
    </DialogForm>
  );
}
