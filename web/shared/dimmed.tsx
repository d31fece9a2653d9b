import { Text, type TextProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** Words that matter less than those around them. */
export const Dimmed = (props: TextProps & { children: ReactNode }): ReactNode => (
  <Text size="sm" c="dimmed" {...props} />
);
