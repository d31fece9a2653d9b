import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';
import { DialogForm } from './dialog-form.tsx';
import type { SentChange } from './form.tsx';

/** Asks before something ends, in words that say what happens. A refusal of the API shows in the dialog. */
export const Confirmation = ({
  title,
  children,
  action,
  isDangerous = true,
  opened,
  change,
  onConfirm,
  onClose,
}: {
  title: string;
  children: ReactNode;
  /** The name of the button that does it. */
  action: string;
  isDangerous?: boolean;
  opened: boolean;
  change: SentChange;
  onConfirm: () => void;
  onClose: () => void;
}): ReactNode => (
  <Dialog opened={opened} onClose={onClose} title={title}>
    <DialogForm
      change={change}
      action={action}
      isDangerous={isDangerous}
      onSubmit={onConfirm}
      onCancel={onClose}
    >
      {children}
    </DialogForm>
  </Dialog>
);
