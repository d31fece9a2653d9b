import { Button, Group, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, dataOf } from '../http/api.ts';
import { PageLink } from '../shared/page-link.tsx';
import { Dimmed } from '../shared/dimmed.tsx';
import { useChange } from '../shared/forms/use-change.ts';
import { ChosenSpend } from '../spend/picks/chosen-spend.tsx';
import { SpendPicker } from '../spend/picks/spend-picker.tsx';
import type { Pick } from '../spend/picks/spend-queries.ts';
import { NUMBERS_OF_METRICS, type ShownMetric } from './metric-queries.ts';
import { FormError } from '../shared/forms/form-error.tsx';

/** Whose cost a metric counts: all spend, a team's bill, or chosen picks, which can be changed. */
export function ScopeOfMetric({ metric, mayChange }: { metric: ShownMetric; mayChange: boolean }): ReactNode {
  const { scope } = metric;
  switch (scope.type) {
    case 'organisation':
      return <Text size="sm">All spend of the organisation.</Text>;
    case 'team':
      return (
        <Text size="sm">
          The bill of a{' '}
          <PageLink to="/teams/$id" params={{ id: scope.team_id }}>
            team
          </PageLink>
          .
        </Text>
      );
    case 'spend':
      return <Picks metric={metric} spend={scope.spend} mayChange={mayChange} />;
  }
}

function Picks({
  metric,
  spend,
  mayChange,
}: {
  metric: ShownMetric;
  spend: Pick[];
  mayChange: boolean;
}): ReactNode {
  const user = { type: 'metric', id: metric.id } as const;
  const [draft, setDraft] = useState<Pick[] | null>(null);
  const save = useChange({
    send: (picks: Pick[]) =>
      dataOf(
        api.PATCH('/api/v1/metrics/{id}', {
          params: { path: { id: metric.id } },
          body: { scope: { spend: picks } },
        }),
      ),
    changes: [...NUMBERS_OF_METRICS, 'spend'],
    done: ({ name }) => `${name} counts the chosen spend.`,
    onDone: () => {
      setDraft(null);
    },
    showsError: true,
  });
  if (draft === null)
    return (
      <Stack align="flex-start">
        <ChosenSpend value={spend} user={user} />
        {mayChange && (
          <Button
            variant="default"
            onClick={() => {
              setDraft(spend);
            }}
          >
            Change what it counts
          </Button>
        )}
      </Stack>
    );
  return (
    <Stack>
      <SpendPicker value={draft} onChange={setDraft} user={user} />
      <Dimmed>Locked months keep their numbers. All others are computed again with the new choice.</Dimmed>
      <FormError error={save.error} />
      <Group>
        <Button
          loading={save.isPending}
          disabled={draft.length === 0}
          onClick={() => {
            save.mutate(draft);
          }}
        >
          Save
        </Button>
        <Button
          variant="default"
          onClick={() => {
            save.reset();
            setDraft(null);
          }}
        >
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}
