import { Button, Group, Stack } from '@mantine/core';
import { useEffect, type ReactNode, type SubmitEvent } from 'react';
import { FormError } from './form-error.tsx';
import type { Change } from './use-change.ts';

export interface FormProps {
  /** Its fields. */
  children: ReactNode;
  change: Pick<Change<never, unknown>, 'isPending' | 'error' | 'abandon'>;
  /** The name of the button that sends; null if this key may only look. */
  action: string | null;
  /** Buttons before the one that sends. */
  before?: ReactNode;
  isDangerous?: boolean;
  /** Whether people can send it. */
  isReady?: boolean;
  /** Whether the button that sends has the focus first. */
  startsAtAction?: boolean;
  /** Where its buttons stand. */
  justify?: 'flex-start' | 'flex-end';
  maxWidth?: number;
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
}

/**
 * The frame of every form: its fields, why the API refused it, and its buttons. It sends nothing after people have left it.
 */
export function Form({
  children,
  change: { isPending, error, abandon },
  action,
  before,
  isDangerous = false,
  isReady = true,
  startsAtAction = false,
  justify = 'flex-start',
  maxWidth,
  onSubmit,
}: FormProps): ReactNode {
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
      <Stack maw={maxWidth}>
        {children}
        <FormError error={error} />
        {action !== null && (
          <Group justify={justify}>
            {before}
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
        )}
      </Stack>
    </form>
  );
}
