import { Alert, List, type AlertProps, type ListProps } from '@mantine/core';
import type { ReactNode } from 'react';

/** Makes a sentence of the API's words, which begin in lower case and end without a full stop. */
export const sentence = (words: string): string =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`;

/** Words of the API as a list of sentences. Shows nothing without any. */
export const Sentences = ({ words, ...list }: ListProps & { words: readonly string[] }): ReactNode =>
  words.length > 0 && (
    <List size="sm" {...list}>
      {words.map((each) => (
        <List.Item key={each}>{sentence(each)}</List.Item>
      ))}
    </List>
  );

/** {@link Sentences} in a box with a title. */
export const SentencesAlert = ({
  words,
  ...alert
}: AlertProps & { title: string; words: readonly string[] }): ReactNode =>
  words.length > 0 && (
    <Alert {...alert}>
      <Sentences words={words} />
    </Alert>
  );
