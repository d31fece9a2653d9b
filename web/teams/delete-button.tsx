import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ConfirmButton } from '../shared/forms/confirm-button.tsx';
import { TEAM_CHANGES } from './team-queries.ts';

/** A button that deletes something after a dialog that says what happens. */
export const DeleteButton = ({
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
}): ReactNode => (
  <ConfirmButton
    button="Delete"
    size="xs"
    variant="default"
    aria-label={`Delete ${name}`}
    title={`Delete ${name}?`}
    action={`Delete ${what}`}
    send={send}
    changes={TEAM_CHANGES}
    done={() => `The ${what} ${name} is deleted.`}
  >
    <Text size="sm">{children}</Text>
  </ConfirmButton>
);
