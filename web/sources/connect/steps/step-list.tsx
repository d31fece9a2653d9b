import { List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopiedText } from '../../../shared/copied-text.tsx';
import type { Step } from './step.ts';

/** What to do outside this service, one after the other, with what to copy. */
export const StepList = ({ steps }: { steps: readonly Step[] }): ReactNode => (
  <List type="ordered" spacing="md" styles={{ itemWrapper: { display: 'inline' } }}>
    {steps.map(({ title, text, code, codeName = 'the text' }) => (
      <List.Item key={title}>
        <Text span fw={500}>
          {title}
        </Text>
        <Stack gap="xs" mt={4}>
          {text !== undefined && <Text size="sm">{text}</Text>}
          {code !== undefined && <CopiedText name={codeName}>{code}</CopiedText>}
        </Stack>
      </List.Item>
    ))}
  </List>
);
