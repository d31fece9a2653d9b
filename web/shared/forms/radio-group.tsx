import { Radio, Stack, type RadioGroupProps, type RadioProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** Radio buttons below each other, by their values. A choice is its label, or all that its button shows. */
export const RadioGroup = <Value extends string>({
  choices,
  ...group
}: Omit<RadioGroupProps<Value>, 'children'> & {
  choices: Readonly<Record<Value, string | RadioProps>>;
}): ReactNode => (
  <Radio.Group {...group}>
    <Stack gap="xs" mt={4}>
      {Object.entries<string | RadioProps>(choices).map(([value, choice]) => (
        <Radio key={value} value={value} {...(typeof choice === 'string' ? { label: choice } : choice)} />
      ))}
    </Stack>
  </Radio.Group>
);
