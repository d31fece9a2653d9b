import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useSession } from '../../http/session.ts';
import { addMonths, firstDay, monthOf } from '../../shared/calendar.ts';
import { Dimmed } from '../../shared/dimmed.tsx';
import { Answer, Failure } from '../../shared/states.tsx';
import { labelledMetricsQuery, labelsQuery } from '../team-queries.ts';
import { teamChoices, type SplitFieldsProps } from './split-draft.ts';

/** The metric whose values split a cost, and a team for each of its labels. */
export function MetricSplitFields(props: SplitFieldsProps): ReactNode {
  const { draft, onChange } = props;
  return (
    <Answer query={useQuery(labelledMetricsQuery)} height={60}>
      {(metrics) => (
        <Stack gap="xs">
          <Select
            label="Metric"
            description="Only metrics whose values have labels can split a cost."
            placeholder={metrics.length === 0 ? 'No metric has labels' : 'Choose a metric'}
            searchable
            data={metrics.map(({ id, name, labelKey }) => ({ value: id, label: `${name}, by ${labelKey}` }))}
            value={draft.metricId}
            onChange={(metricId) => {
              onChange({ metricId, labels: [] });
            }}
          />
          {draft.metricId !== null && <Labels key={draft.metricId} {...props} metricId={draft.metricId} />}
        </Stack>
      )}
    </Answer>
  );
}

function Labels({ draft, teams, onChange, metricId }: SplitFieldsProps & { metricId: string }): ReactNode {
  const { today } = useSession();
  const recent = useQuery(labelsQuery(metricId, firstDay(addMonths(monthOf(today), -2)), today));
  const known = draft.labels.map(({ label }) => label);
  const labels = [...new Set([...(recent.data ?? []), ...known])];
  const teamOf = (label: string): string | null =>
    draft.labels.find((one) => one.label === label)?.teamId ?? null;
  const set = (label: string, teamId: string | null): void => {
    onChange({ labels: [...draft.labels.filter((one) => one.label !== label), { label, teamId }] });
  };
  return (
    <Stack gap="xs">
      {recent.error !== null && <Failure error={recent.error} retry={recent.refetch} />}
      {labels.map((label) => (
        <Select
          key={label}
          label={`Team for ${label}`}
          placeholder="No team: its part stays unallocated"
          searchable
          clearable
          clearButtonProps={{ 'aria-label': `No team for ${label}` }}
          data={teamChoices(teams)}
          value={teamOf(label)}
          onChange={(teamId) => {
            set(label, teamId);
          }}
        />
      ))}
      {recent.data !== undefined && labels.length === 0 && (
        <Dimmed>The metric has no values in the last three months. Add its labels by hand.</Dimmed>
      )}
      <AddLabel
        isKnown={(label) => labels.includes(label)}
        onAdd={(label) => {
          set(label, null);
        }}
      />
    </Stack>
  );
}

function AddLabel({
  isKnown,
  onAdd,
}: {
  isKnown: (label: string) => boolean;
  onAdd: (label: string) => void;
}): ReactNode {
  const [label, setLabel] = useInputState('');
  const trimmed = label.trim();
  const error = isKnown(trimmed) ? 'This label is there already.' : undefined;
  const add = (): void => {
    if (trimmed === '' || error !== undefined) return;
    onAdd(trimmed);
    setLabel('');
  };
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <TextInput
        aria-label="Another label"
        placeholder="Another label"
        flex={1}
        value={label}
        error={error}
        onChange={setLabel}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <Button variant="default" onClick={add}>
        Add label
      </Button>
    </Group>
  );
}
