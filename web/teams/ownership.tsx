import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { pickIdentity, type SpendPick } from '../../domain/spend/spend-pick.ts';
import { api, dataOf } from '../http/api.ts';
import { messageOf } from '../http/api-error.ts';
import { useSession } from '../http/session.ts';
import { Card } from '../shared/card.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { Empty } from '../shared/states.tsx';
import { useChange } from '../shared/forms/use-change.ts';
import { PickList } from '../spend/picks/pick-list.tsx';
import { SpendPicker } from '../spend/picks/spend-picker.tsx';
import { SentencesAlert } from '../shared/sentences.tsx';
import { Dialog } from '../shared/forms/dialog.tsx';
import { TEAM_CHANGES, type Team } from './team-queries.ts';

const identity = (picks: readonly SpendPick[]): string => picks.map(pickIdentity).sort().join();

/** What a team owns. Admins can change it; what they chose stays until it is saved or discarded. */
export function Ownership({ team }: { team: Team }): ReactNode {
  const { may } = useSession();
  const owned = team.ownership;
  return (
    <Card title={`What ${team.name} owns`}>
      {may('admin') ? (
        <Editor team={team} owned={owned} />
      ) : owned.length === 0 ? (
        <Empty>This team owns no spend yet. An admin can choose what it owns.</Empty>
      ) : (
        <PickList picks={owned} />
      )}
    </Card>
  );
}

function Editor({ team: { id }, owned }: { team: Team; owned: SpendPick[] }): ReactNode {
  const [draft, setDraft] = useState<SpendPick[] | null>(null);
  const picks = draft ?? owned;
  const isChanged = identity(picks) !== identity(owned);
  const save = useChange({
    send: (ownership: SpendPick[]) =>
      dataOf(api.PUT('/api/v1/teams/{id}/ownership', { params: { path: { id } }, body: { ownership } })),
    changes: TEAM_CHANGES,
    done: (team) => `What ${team.name} owns is saved.`,
    showsError: true,
    onDone: (team) => {
      setDraft(team.ownership);
    },
  });
  return (
    <Stack>
      <Dimmed>
        A dollar has one owner: the most specific pick of all teams and shared costs. Bills that are sealed
        keep the owners of their seal.
      </Dimmed>
      <SpendPicker
        value={picks}
        user={{ type: 'team', id }}
        onChange={(changed) => {
          setDraft(changed);
          save.reset();
        }}
      />
      {save.error !== null && (
        <Alert color="red" role="alert" title="The service refused this">
          {messageOf(save.error)}. Nothing is saved, and what you chose is still here.
        </Alert>
      )}
      {save.data !== undefined && (
        <SentencesAlert
          color="orange"
          role="status"
          title="Saved. What to know about it"
          words={save.data.warnings}
        />
      )}
      <Group gap="xs">
        <Button
          disabled={!isChanged}
          loading={save.isPending}
          onClick={() => {
            save.mutate(picks);
          }}
        >
          Save
        </Button>
        <Button
          variant="default"
          disabled={!isChanged}
          onClick={() => {
            setDraft(null);
            save.reset();
          }}
        >
          Discard changes
        </Button>
        {isChanged && <Text size="sm">The changes are not saved yet.</Text>}
      </Group>
      <LeaveDialog isChanged={isChanged} />
    </Stack>
  );
}

function LeaveDialog({ isChanged }: { isChanged: boolean }): ReactNode {
  const blocker = useBlocker({
    shouldBlockFn: () => isChanged,
    enableBeforeUnload: () => isChanged,
    withResolver: true,
  });
  return (
    <Dialog
      title="Leave without saving?"
      opened={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
    >
      <Stack>
        <Text size="sm">The changes to what the team owns are not saved. They are lost if you leave.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => blocker.reset?.()}>
            Cancel
          </Button>
          <Button color="red" onClick={() => blocker.proceed?.()}>
            Leave
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
