import { List } from '@mantine/core';
import type { ReactNode } from 'react';
import { pickWords } from '../../../domain/spend/pick-words.ts';
import { pickIdentity, type SpendPick } from '../../../domain/spend/spend-pick.ts';
import { useAccountNames } from '../account-names.ts';

/** Picks of spend as sentences. */
export function PickList({ picks }: { picks: readonly SpendPick[] }): ReactNode {
  const accounts = useAccountNames(picks);
  return (
    <List listStyleType="none" spacing={2} size="sm" withPadding={false}>
      {picks.map((pick) => (
        <List.Item key={pickIdentity(pick)} style={{ overflowWrap: 'anywhere' }}>
          {pickWords(pick, accounts)}
        </List.Item>
      ))}
    </List>
  );
}
