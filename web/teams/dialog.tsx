import { Modal, Stack, useMatches } from '@mantine/core';
import type { ReactNode } from 'react';
import { FormEnd } from '../shared/forms/form-end.tsx';

/** A dialog with a form: fields, the reason of a refusal, and the buttons to cancel and to go on. */
export const FormDialog = ({
  title,
  opened,
  onClose,
  onSubmit,
  action,
  isDangerous = false,
  isPending,
  error,
  size = 'md',
  children,
}: {
  title: string;
  opened: boolean;
  onClose: () => void;
  onSubmit: () => void;
  /** What the button does, in words. */
  action: string;
  isDangerous?: boolean;
  isPending: boolean;
  error: unknown;
  size?: string;
  children: ReactNode;
}): ReactNode => {
  const fullScreen = useMatches({ base: true, sm: false });
  return (
    <Modal opened={opened} onClose={onClose} title={title} size={size} fullScreen={fullScreen}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          // A dialog's form may stand inside another form of the page.
          event.stopPropagation();
          onSubmit();
        }}
      >
        <Stack>
          {children}
          <FormEnd
            change={{ isPending, error }}
            action={action}
            color={isDangerous ? 'red' : undefined}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Modal>
  );
};
