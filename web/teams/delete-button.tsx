import { Button, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useChange } from '../shared/forms/use-change.ts';
import { Confirmation } from '../shared/forms/confirmation.tsx';
import { TEAM_CHANGES } from './team-queries.ts';

/** A button that deletes something after a dialog that says what happens. */
export function DeleteButton({
  name,
  what,
  send,
  children,
}: {
  name: string;
  /** What it is, for example `team`. */
  what: string;
  send: (signal: AbortSignal) => Promise<unknown>;
  /** What happens, in words. */
  children: ReactNode;
}): ReactNode {
  const [isOpen, setIsOpen] = useState(false);
  const remove = useChange({
    send: (_: undefined, signal) => send(signal),
    changes: TEAM_CHANGES,
    done: () => `The ${what} ${name} is deleted.`,
    showsError: true,
    onDone: () => {
      setIsOpen(false);
    },
  });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        aria-label={`Delete ${name}`}
        onClick={() => {
          remove.reset();
          setIsOpen(true);
        }}
      >
        Delete
      </Button>
      <Confirmation
        title={`Delete ${name}?`}
        opened={isOpen}
        onClose={() => {
          setIsOpen(false);
        }}
        action={`Delete ${what}`}
        change={remove}
        onConfirm={() => {
          remove.mutate(undefined);
        }}
      >
        <Text size="sm">{children}</Text>
      </Confirmation>
    </>
  );
}
