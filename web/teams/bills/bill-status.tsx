import { Badge, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { sentence } from '../../shared/words.ts';
import type { Bill } from '../team-queries.ts';

const COLORS = { estimate: 'gray', waiting: 'orange', sealed: 'green' } as const;
const WORDS = { estimate: 'Estimate', waiting: 'Waiting', sealed: 'Sealed' } as const;

/** The status of a bill. */
export const BillStatus = ({ status }: { status: Bill['status'] }): ReactNode => (
  <Badge variant="dot" color={COLORS[status]}>
    {WORDS[status]}
  </Badge>
);

/** Words of the API as sentences, below each other. */
export const Sentences = ({ words }: { words: readonly string[] }): ReactNode =>
  words.length === 1 ? (
    <Text size="sm">{sentence(words[0] ?? '')}</Text>
  ) : (
    <List size="sm" listStyleType="none" withPadding={false}>
      {words.map((word) => (
        <List.Item key={word}>{sentence(word)}</List.Item>
      ))}
    </List>
  );

/** What a bill waits for. */
export const WaitsFor = ({ bill, isOneLine }: { bill: Bill; isOneLine: boolean }): ReactNode =>
  bill.waiting_for.length === 0 ? (
    <Text size="sm" c="dimmed">
      Nothing
    </Text>
  ) : isOneLine ? (
    <Text size="sm" truncate>
      {bill.waiting_for.map(sentence).join(' ')}
    </Text>
  ) : (
    <Sentences words={bill.waiting_for} />
  );

/** Why a bill has no amounts. */
export const missingReason = ({ month, reason }: Bill): string =>
  reason ?? `no spend has been ingested for ${month}`;
