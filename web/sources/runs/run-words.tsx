import { Badge, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { countText, quantityText } from '../../shared/numbers.ts';
import { Dimmed } from '../../shared/dimmed.tsx';
import { instantText } from '../../shared/instant.tsx';
import type { Run } from '../sources-queries.ts';

const COLORS: Record<Run['status'], string> = { running: 'blue', completed: 'green', failed: 'red' };

/** The state of a run as a word. */
export const RunStatus = ({ status }: { status: Run['status'] }): ReactNode => (
  <Badge color={COLORS[status]}>{status}</Badge>
);

/** What a run did, or does, in words: when, how many rows, and why it failed. */
export function RunWords({ run }: { run: Run | null }): ReactNode {
  if (run === null) {
    return <Dimmed>It has never run.</Dimmed>;
  }
  const {
    status,
    started_at: started,
    finished_at: finished,
    rows_read: read,
    rows_rejected: rejected,
  } = run;
  return (
    <div aria-live="polite">
      <Group gap="xs">
        <RunStatus status={status} />
        <Text size="sm">
          {status === 'running'
            ? `${countText(read, 'row')} read so far, since ${instantText(started)}`
            : `${instantText(finished ?? started)}${status === 'failed' && read === 0 ? '' : `, ${countText(read, 'row')} read`}`}
          {rejected > 0 && `, ${quantityText(rejected)} rejected`}
        </Text>
      </Group>
      {run.error !== null && (
        <Text size="sm" c="var(--mantine-color-error)" mt={4} lineClamp={3} title={run.error}>
          {run.error}
        </Text>
      )}
    </div>
  );
}
