import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

/** A dialog over the page. Its head is no banner of the page, and its close button has a name. */
export const Dialog = ({
  opened,
  close,
  title,
  children,
}: {
  opened: boolean;
  close: () => void;
  title: string;
  children: ReactNode;
}): ReactNode => (
  <Modal
    opened={opened}
    onClose={close}
    title={title}
    closeButtonProps={{ 'aria-label': 'Close' }}
    attributes={{ header: { role: 'none' } }}
  >
    {children}
  </Modal>
);
