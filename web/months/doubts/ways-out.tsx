import { Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useReadAgain } from '../../sources/use-read-again.ts';
import { WayButton, type WayOutProps } from './way-button.tsx';

/** Reads the source again, and shows why that failed. */
export const RunSource = (props: WayOutProps): ReactNode => {
  const { start, isRunning, error } = useReadAgain(props.way.source_id ?? '');
  return (
    <>
      <WayButton of={props} words="Read it again" loading={isRunning} onClick={start} />
      {error !== null && (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
    </>
  );
};

/** Leads to the page of the source, where its settings are. */
export const OpenSource = (props: WayOutProps): ReactNode => {
  const navigate = useNavigate();
  return (
    <WayButton
      of={props}
      words="Open the source"
      onClick={() => {
        void navigate({ to: '/sources/$id', params: { id: props.way.source_id ?? '' } });
      }}
    />
  );
};

/** Opens the lock of the month, with its doubts accepted. */
export const Accept = (props: WayOutProps): ReactNode =>
  props.accept !== null && <WayButton of={props} words="Accept it" onClick={props.accept} />;
