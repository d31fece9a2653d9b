import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { FormEnd } from './form-end.tsx';

/** Asks before something ends, in words that say what happens. A refusal of the API shows in the dialog. */
export const Confirmation = ({
  title,
  children,
  action,
  color = 'red',
  opened,
  change,
  onConfirm,
  onClose,
}: {
  title: string;
  children: ReactNode;
  /** The name of the button that does it. */
  action: string;
  color?: string;
  opened: boolean;
  change: { isPending: boolean; error: unknown };
  onConfirm: () => void;
  onClose: () => void;
}): ReactNode => (
  <Dialog opened={opened} onClose={onClose} title={title}>
    <Stack>
      {children}
      <FormEnd change={change} action={action} color={color} onCancel={onClose} onConfirm={onConfirm} />
    </Stack>
  </Dialog>
);
