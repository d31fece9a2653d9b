import { Group, Stack, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Dimmed } from './dimmed.tsx';

/** The heading of a page, what it is about, and its actions. It also names the browser's tab. */
export function PageTitle({
  title,
  about,
  children,
}: {
  title: string;
  about?: ReactNode;
  children?: ReactNode;
}): ReactNode {
  useDocumentTitle(`${title} · Cost Analytics`);
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="sm">
      <Stack gap={2}>
        <Title order={1}>{title}</Title>
        {about !== undefined && <Dimmed>{about}</Dimmed>}
      </Stack>
      {Boolean(children) && <Group gap="xs">{children}</Group>}
    </Group>
  );
}
