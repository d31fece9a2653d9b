import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { sentence, Sentences } from '../../shared/sentences.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import type { Bill } from '../team-queries.ts';

const COLORS = { estimate: 'gray', waiting: 'orange', sealed: 'green' } as const;
const WORDS = { estimate: 'Estimate', waiting: 'Waiting', sealed: 'Sealed' } as const;

export const BillStatus = ({ status }: { status: Bill['status'] }): ReactNode => (
  <Badge color={COLORS[status]}>{WORDS[status]}</Badge>
);

export const WaitsFor = ({ bill, isOneLine }: { bill: Bill; isOneLine: boolean }): ReactNode =>
  bill.waiting_for.length === 0 ? (
    <Dimmed>Nothing</Dimmed>
  ) : isOneLine ? (
    <Text size="sm" truncate>
      {bill.waiting_for.map(sentence).join(' ')}
    </Text>
  ) : (
    <Sentences listStyleType="none" withPadding={false} words={bill.waiting_for} />
  );

/** Why a bill has no amounts. */
export const missingReason = ({ month, reason }: Bill): string =>
  reason ?? `no spend has been ingested for ${month}`;
