import { Modal, useMatches } from '@mantine/core';
import type { ReactNode } from 'react';

/** A dialog over the page. A wide one fills a phone. With `stays`, only what it contains can close it. */
export function Dialog({
  title,
  opened,
  isWide = false,
  stays = false,
  onClose,
  children,
}: {
  title: string;
  opened: boolean;
  isWide?: boolean;
  stays?: boolean;
  onClose: () => void;
  children: ReactNode;
}): ReactNode {
  const isPhone = useMatches({ base: true, sm: false });
  return (
    <Modal
      title={title}
      opened={opened}
      onClose={onClose}
      size={isWide ? 'xl' : 'md'}
      fullScreen={isWide && isPhone}
      closeOnEscape={!stays}
      closeOnClickOutside={!stays}
      withCloseButton={!stays}
    >
      {children}
    </Modal>
  );
}
