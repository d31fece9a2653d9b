import { ActionIcon, Code, CopyButton, Group } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** Text to copy, such as a policy or commands. It scrolls sideways, also by keyboard. */
export const CopiedText = ({ children: text, name }: { children: string; name: string }): ReactNode => (
  <Group gap="xs" wrap="nowrap" align="flex-start">
    <Code
      block
      flex={1}
      miw={0}
      mah={420}
      style={{ overflow: 'auto' }}
      tabIndex={0}
      role="group"
      aria-label={name}
    >
      {text}
    </Code>
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <ActionIcon
          variant="default"
          size="lg"
          aria-label={copied ? `Copied ${name}` : `Copy ${name}`}
          onClick={copy}
        >
          {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
        </ActionIcon>
      )}
    </CopyButton>
  </Group>
);
