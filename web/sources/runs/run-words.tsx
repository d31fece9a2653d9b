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
  const { status, started_at, finished_at, rows_read, rows_rejected, error } = run;
  return (
    <div aria-live="polite">
      <Group gap="xs">
        <RunStatus status={status} />
        <Text size="sm">
          {status === 'running'
            ? `${countText(rows_read, 'row')} read so far, since ${instantText(started_at)}`
            : `${instantText(finished_at ?? started_at)}${status === 'failed' && rows_read === 0 ? '' : `, ${countText(rows_read, 'row')} read`}`}
          {rows_rejected > 0 && `, ${quantityText(rows_rejected)} rejected`}
        </Text>
      </Group>
      {error !== null && (
        <Text size="sm" c="var(--mantine-color-error)" mt={4} lineClamp={3} title={error}>
          {error}
        </Text>
      )}
    </div>
  );
}
