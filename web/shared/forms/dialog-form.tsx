import { Button, Group, Stack } from '@mantine/core';
import type { SubmitEvent, ReactNode } from 'react';
import { FormError } from './form-error.tsx';

/** The form of a dialog: its fields, why the API refused it, and the buttons to cancel and to go on. */
export const DialogForm = ({
  children,
  change: { isPending, error },
  action,
  isDangerous = false,
  isReady = true,
  startsAtAction = false,
  onSubmit,
  onCancel,
}: {
  children: ReactNode;
  change: { isPending: boolean; error: unknown };
  /** The name of the button that goes on. */
  action: string;
  isDangerous?: boolean;
  /** Whether people can go on. */
  isReady?: boolean;
  /** Whether the button that goes on has the focus first. */
  startsAtAction?: boolean;
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  onCancel: () => void;
}): ReactNode => (
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
