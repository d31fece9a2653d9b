import { ActionIcon, Group, List, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { pickIdentity, type SpendPick } from '../../domain/spend/spend-pick.ts';
import { useAccountNames } from './pick-suggestions.ts';
import { pickWords } from './pick-words.ts';

/** Picks as sentences, with a button to remove each if `onRemove` is there. */
export const PickList = ({
  picks,
  onRemove,
  refused,
}: {
  picks: readonly SpendPick[];
  onRemove?: (pick: SpendPick) => void;
  /** The place of a pick that the service refused. */
  refused?: number;
}): ReactNode => {
  const accounts = useAccountNames(picks);
  return (
    <List listStyleType="none" spacing={onRemove === undefined ? 2 : 'xs'} size="sm" withPadding={false}>
      {picks.map((pick, index) => {
        const words = pickWords(pick, accounts);
        return (
          <List.Item key={pickIdentity(pick)} styles={{ itemWrapper: { display: 'block' } }}>
            <Group gap="xs" wrap="nowrap" justify="space-between">
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {words}
                {index === refused && (
                  <Text span inherit c="var(--mantine-color-error)" fw={600}>
                    {' '}
                    (refused)
                  </Text>
                )}
              </Text>
              {onRemove !== undefined && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Remove ${words}`}
                  onClick={() => {
                    onRemove(pick);
                  }}
                >
                  <IconX size={16} aria-hidden />
                </ActionIcon>
              )}
            </Group>
          </List.Item>
        );
      })}
    </List>
  );
};
