import { ActionIcon, Group, MultiSelect, Radio, Select, Stack, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { NumberField } from '../../shared/forms/number-field.tsx';
import { percentText } from '../../shared/numbers.ts';
import { sumOf } from '../../shared/sums.ts';
import { MetricSplitFields } from './metric-split-fields.tsx';
import { percentSum, SPLIT_PERCENT, teamChoices, type SplitFieldsProps } from './split-draft.ts';
import { namesOf } from './split-words.ts';

/** How a cost is split over teams: evenly, by fixed percents, or by the labels of a metric. */
export function SplitFields(props: SplitFieldsProps): ReactNode {
  const { draft, onChange } = props;
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Split"
        value={draft.type}
        onChange={(type) => {
          onChange({ type: type });
        }}
      >
        <Group mt="xs" gap="md">
          <Radio value="even" label="Evenly" />
          <Radio value="fixed" label="By fixed percents" />
          <Radio value="metric" label="By the values of a metric" />
        </Group>
      </Radio.Group>
      {draft.type === 'even' && <EvenFields {...props} />}
      {draft.type === 'fixed' && <FixedFields {...props} />}
      {draft.type === 'metric' && <MetricSplitFields {...props} />}
    </Stack>
  );
}

const EvenFields = ({ draft, teams, onChange }: SplitFieldsProps): ReactNode => (
  <MultiSelect
    label="Teams"
    description="Each gets an equal part."
    searchable
    data={teamChoices(teams)}
    value={draft.teamIds}
    clearButtonProps={{ 'aria-label': 'Remove all teams' }}
    onChange={(teamIds) => {
      onChange({ teamIds });
    }}
  />
);

function FixedFields({ draft, teams, onChange }: SplitFieldsProps): ReactNode {
  const names = namesOf(teams);
  const others = teams.filter(({ id }) => !draft.shares.some(({ teamId }) => teamId === id));
  return (
    <Stack gap="xs">
      {draft.shares.map(({ teamId, percent }) => {
        const name = names.get(teamId) ?? 'a deleted team';
        return (
          <Group key={teamId} gap="xs" align="center" wrap="nowrap">
            <NumberField
              rule={SPLIT_PERCENT}
              label={`Percent of ${name}`}
              flex={1}
              value={percent}
              onChange={(written) => {
                onChange({
                  shares: draft.shares.map((share) =>
                    share.teamId === teamId ? { teamId, percent: written } : share,
                  ),
                });
              }}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove ${name} from the split`}
              onClick={() => {
                onChange({ shares: draft.shares.filter((share) => share.teamId !== teamId) });
              }}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Group>
        );
      })}
      {others.length > 0 && (
        <Select
          // A new field after each choice, so that it is empty again.
          key={draft.shares.length}
          label="Add a team"
          placeholder="Choose a team"
          searchable
          data={teamChoices(others)}
          value={null}
          onChange={(teamId) => {
            if (teamId !== null) onChange({ shares: [...draft.shares, { teamId, percent: '' }] });
          }}
        />
      )}
      <PercentSum sum={percentSum(draft)} />
    </Stack>
  );
}

const PercentSum = ({ sum }: { sum: number }): ReactNode => (
  <Text size="sm" role="status" c={sum > 100 ? 'var(--mantine-color-error)' : undefined}>
    Together {percentText(sum)}.{' '}
    {sum > 100
      ? 'The percents must not exceed 100.'
      : sum < 100
        ? `${percentText(sumOf([100, -sum]))} stays unallocated.`
        : 'All of the cost is split.'}
  </Text>
);
