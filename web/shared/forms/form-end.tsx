import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { FormError } from './form-error.tsx';

/** The end of a form in a dialog: why the API refused it, and the buttons to cancel and to go on. */
export const FormEnd = ({
  change: { isPending, error },
  action,
  color,
  disabled = false,
  onCancel,
  onConfirm,
}: {
  change: { isPending: boolean; error: unknown };
  /** The name of the button that goes on. */
  action: string;
  color?: string | undefined;
  disabled?: boolean;
  onCancel: () => void;
  /** What the button does. Without it, the button submits its form. */
  onConfirm?: () => void;
}): ReactNode => (
  <>
    <FormError error={error} />
    <Group justify="flex-end">
      <Button variant="default" onClick={onCancel}>
        Cancel
      </Button>
      <Button
        type={onConfirm === undefined ? 'submit' : 'button'}
        color={color}
        disabled={disabled}
        loading={isPending}
        onClick={onConfirm}
      >
        {action}
      </Button>
    </Group>
  </>
);
