import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ChosenSpend } from './chosen-spend.tsx';
import { SpendOptions } from './spend-options.tsx';
import type { Pick, PickUser } from './spend-queries.ts';

/** Chooses picks of spend from what there is, and shows what they cost together, what overlaps and what is partial. */
export const SpendPicker = ({
  value,
  onChange,
  user,
}: {
  value: readonly Pick[];
  onChange: (picks: Pick[]) => void;
  user: PickUser;
}): ReactNode => (
  <Stack>
    <ChosenSpend value={value} onChange={onChange} user={user} />
    <SpendOptions
      chosen={value}
      withIdle={user.type !== 'metric'}
      add={(pick) => {
        onChange([...value, pick]);
      }}
    />
  </Stack>
);
