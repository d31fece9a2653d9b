import { Group, Paper, Title } from '@mantine/core';
import { useId, type ReactNode } from 'react';

/** A part of a page with its own heading and actions. */
export function Card({
  title,
  actions,
  children,
  minHeight,
  isColumn = false,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
  /** Room that is kept while its content loads, so that nothing below it moves. */
  minHeight?: number;
  /** Whether its parts share its height, so that one can fill what the others leave. */
  isColumn?: boolean;
}): ReactNode {
  const id = useId();
  return (
    <Paper
      component="section"
      aria-labelledby={id}
      withBorder
      p="md"
      h="100%"
      mih={minHeight}
      display={isColumn ? 'flex' : undefined}
      style={{ flexDirection: 'column' }}
    >
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} id={id}>
          {title}
        </Title>
        {Boolean(actions) && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Paper>
  );
}
