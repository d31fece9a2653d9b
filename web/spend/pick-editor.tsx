import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { pickIdentity, type SpendPick } from '../../domain/spend/spend-pick.ts';
import { PickForm } from './pick-form.tsx';
import { PickList } from './pick-list.tsx';

/** Picks of spend: what is picked, each with a button to remove it, and fields to add more. Only teams and shared costs pick idle capacity. */
export const PickEditor = ({
  value,
  onChange,
  allowsIdle = true,
  refused,
}: {
  value: readonly SpendPick[];
  onChange: (picks: SpendPick[]) => void;
  allowsIdle?: boolean;
  /** The place of a pick that the service refused. */
  refused?: number;
}): ReactNode => (
  <Stack gap="sm">
    {value.length === 0 ? (
      <Text size="sm" c="dimmed">
        No spend is picked yet.
      </Text>
    ) : (
      <PickList
        picks={value}
        refused={refused}
        onRemove={(removed) => {
          onChange(value.filter((pick) => pick !== removed));
        }}
      />
    )}
    <PickForm
      allowsIdle={allowsIdle}
      onAdd={(pick) => {
        if (value.some((other) => pickIdentity(other) === pickIdentity(pick)))
          return 'This spend is picked already.';
        onChange([...value, pick]);
        return null;
      }}
    />
  </Stack>
);
