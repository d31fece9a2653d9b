import { Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRunImport } from '../../imports/use-run-import.ts';
import { sentence } from '../../shared/words.ts';
import { EndUnit } from '../../sources/units/end-unit.tsx';
import { useReadAgain } from '../../sources/use-read-again.ts';
import { WayButton, type WayOutProps } from './way-button.tsx';

/** Why a run that a button has started failed. */
const RunError = ({ error }: { error: string | null }): ReactNode =>
  error !== null && (
    <Text size="xs" c="var(--mantine-color-error)" role="alert">
      {sentence(error)}
    </Text>
  );

/** Reads the source again, and shows why that failed. */
export const RunSource = (props: WayOutProps): ReactNode => {
  const { start, isRunning, error } = useReadAgain(props.way.source_id ?? '');
  return (
    <>
      <WayButton of={props} words="Read it again" loading={isRunning} onClick={start} />
      <RunError error={error} />
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

/** Runs the import from the month on, and shows why that failed. */
export const RunImport = (props: WayOutProps): ReactNode => {
  const { start, isRunning, error } = useRunImport(props.way.metric_id ?? props.metric.id, props.month);
  return (
    <>
      <WayButton of={props} words="Run the import" loading={isRunning} onClick={start} />
      <RunError error={error} />
    </>
  );
};

/** Leads to the import of the metric, where it can be connected again. */
export const ConnectImport = (props: WayOutProps): ReactNode => {
  const navigate = useNavigate();
  return (
    <WayButton
      of={props}
      words="Open the import"
      onClick={() => {
        void navigate({
          to: '/business-metrics/$id',
          params: { id: props.way.metric_id ?? props.metric.id },
          search: { show: 'import' },
        });
      }}
    />
  );
};

/** Asks since when the unit has no spend, so that the month no longer waits for it. */
export const EndOfUnit = (props: WayOutProps): ReactNode => {
  const [opened, { open, close }] = useDisclosure();
  const { source_id: sourceId = '', unit = '' } = props.way;
  return (
    <>
      <WayButton of={props} words="It has ended" onClick={open} />
      <EndUnit sourceId={sourceId} unit={unit} opened={opened} close={close} />
    </>
  );
};

/** Opens the lock of the month, with its doubts accepted. */
export const Accept = (props: WayOutProps): ReactNode =>
  props.accept !== null && <WayButton of={props} words="Accept it" onClick={props.accept} />;
