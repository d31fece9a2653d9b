import { Box, Text, TextInput, type TextInputProps } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { problemIn, readNumber, type NumberRule } from './number-entry.ts';

type Shown = Omit<TextInputProps, 'value' | 'defaultValue' | 'onChange' | 'type' | 'inputMode'>;

/**
 * A field for a number, as the browser's locale writes numbers. Its value is the text that people typed. The number that the
 * page reads in it stands beneath. Once people leave the field, it says what it cannot read.
 */
export function NumberField({
  rule,
  value = '',
  error,
  flex,
  onChange,
  onBlur,
  ...shown
}: Shown & {
  rule: NumberRule;
  value?: string;
  onChange: (text: string) => void;
}): ReactNode {
  const [wasLeft, setWasLeft] = useState(false);
  const entry = readNumber(value, rule);
  const problem = wasLeft ? problemIn(value, rule) : null;
  return (
    <Box flex={flex}>
      <TextInput
        {...shown}
        autoComplete="off"
        // The number keys of some phones have no minus.
        inputMode={rule.min < 0 ? 'text' : 'decimal'}
        value={value}
        error={problem ?? error}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value);
        }}
        onBlur={(event) => {
          setWasLeft(true);
          onBlur?.(event);
        }}
      />
      <Text size="xs" c="dimmed" role="status" mih="1lh" mt={2}>
        {entry.is === 'number' && `Read as ${entry.echo}`}
      </Text>
    </Box>
  );
}
