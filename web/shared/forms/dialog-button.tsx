import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Dialog } from './dialog.tsx';

export interface DialogButtonProps extends Omit<ButtonProps, 'children'> {
  /** What the button says. */
  button: string;
  /** What it is called, if the page has several of these buttons. */
  'aria-label'?: string;
  title: string;
  isWide?: boolean;
}

/** A button that opens a dialog. What the dialog contains is made anew each time. */
export function DialogButton({
  button,
  title,
  isWide = false,
  children,
  ...shown
}: DialogButtonProps & { children: (close: () => void) => ReactNode }): ReactNode {
  const [opened, { open, close }] = useDisclosure();
  return (
    <>
      <Button {...shown} onClick={open}>
        {button}
      </Button>
      <Dialog title={title} opened={opened} isWide={isWide} onClose={close}>
        {children(close)}
      </Dialog>
    </>
  );
}
