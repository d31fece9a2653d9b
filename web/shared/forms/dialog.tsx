import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

/** A dialog over the page. With `stays`, only what it contains can close it. */
export const Dialog = ({
  title,
  opened,
  stays = false,
  onClose,
  children,
}: {
  title: string;
  opened: boolean;
  stays?: boolean;
  onClose: () => void;
  children: ReactNode;
}): ReactNode => (
  <Modal
    title={title}
    opened={opened}
    onClose={onClose}
    closeOnEscape={!stays}
    closeOnClickOutside={!stays}
    withCloseButton={!stays}
  >
    {children}
  </Modal>
);
