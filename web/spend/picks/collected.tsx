import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** From which day on spend is known apart from the rest of its bill. */
export const Collected = ({ from }: { from: string | null }): ReactNode =>
  from === 'always' ? (
    <Text size="sm">always</Text>
  ) : from === null ? (
    <Badge color="yellow">from today on</Badge>
  ) : (
    <Text size="sm">from {from}</Text>
  );
