import { Button, Group, Stack } from '@mantine/core';
import { useEffect, type SubmitEvent, type ReactNode } from 'react';
import { FormError } from './form-error.tsx';
import type { Change } from './use-change.ts';

/** What a form needs of its change. */
export type SentChange = Pick<Change<never, unknown>, 'isPending' | 'error' | 'abandon'>;

/**
 * The form of a dialog: its fields, why the API refused it, and the buttons to cancel and to go on. Once the dialog is left,
 * nothing of it reaches the service any more.
 */
export function DialogForm({
  children,
  change: { isPending, error, abandon },
  action,
  isDangerous = false,
  isReady = true,
  startsAtAction = false,
  onSubmit,
  onCancel,
}: {
  children: ReactNode;
  change: SentChange;
  /** The name of the button that goes on. */
  action: string;
  isDangerous?: boolean;
  /** Whether people can go on. */
  isReady?: boolean;
  /** Whether the button that goes on has the focus first. */
  startsAtAction?: boolean;
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  onCancel: () => void;
}): ReactNode {
  useEffect(() => abandon, [abandon]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // A dialog's form may stand inside another form of the page.
        event.stopPropagation();
        onSubmit(event);
      }}
    >
      <Stack>
        {children}
        <FormError error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={isDangerous ? 'red' : undefined}
            disabled={!isReady}
            loading={isPending}
            data-autofocus={startsAtAction || undefined}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
