import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, type NavigateOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRunImport } from '../../imports/use-run-import.ts';
import { addDays, firstDay, lastDay, type Day } from '../../shared/calendar.ts';
import type { StartedRun } from '../../shared/use-started-run.ts';
import { sentence } from '../../shared/sentences.tsx';
import { sourceQuery } from '../../sources/sources-queries.ts';
import { EndUnit, EndUnitOn } from '../../sources/units/end-unit.tsx';
import { useReadAgain } from '../../sources/runs/use-read-again.ts';
import { WayButton, WayDialog, type WayOutProps } from './way-button.tsx';

/** Starts a run, and shows why it failed. */
const Run = ({
  of,
  words,
  run: { start, isRunning, error },
}: {
  of: WayOutProps;
  words: string;
  run: StartedRun;
}): ReactNode => (
  <>
    <WayButton of={of} words={words} loading={isRunning} onClick={start} />
    {error !== null && (
      <Text size="xs" c="var(--mantine-color-error)" role="alert">
        {sentence(error)}
      </Text>
    )}
  </>
);

/** Reads the source again. */
export const RunSource = (props: WayOutProps): ReactNode => (
  <Run of={props} words="Read it again" run={useReadAgain(props.way.source_id ?? '')} />
);

/** Runs the import from the month on. */
export const RunImport = (props: WayOutProps): ReactNode => (
  <Run
    of={props}
    words="Run the import"
    run={useRunImport(props.way.metric_id ?? props.metric.id, props.month)}
  />
);

/** Leads to another page. */
function Open({ of, words, to }: { of: WayOutProps; words: string; to: NavigateOptions }): ReactNode {
  const navigate = useNavigate();
  return (
    <WayButton
      of={of}
      words={words}
      onClick={() => {
        void navigate(to);
      }}
    />
  );
}

/** Leads to the page of the source, where its settings are. */
export const OpenSource = (props: WayOutProps): ReactNode => (
  <Open
    of={props}
    words="Open the source"
    to={{ to: '/sources/$id', params: { id: props.way.source_id ?? '' } }}
  />
);

/** Leads to a tab of the metric, or of the one whose values the doubt is about. */
const OpenMetric = ({
  of,
  words,
  show,
}: {
  of: WayOutProps;
  words: string;
  show: 'import' | 'values';
}): ReactNode => (
  <Open
    of={of}
    words={words}
    to={{
      to: '/business-metrics/$id',
      params: { id: of.way.metric_id ?? of.metric.id },
      search: { show },
    }}
  />
);

/** Leads to the import of the metric, where it can be connected again. */
export const ConnectImport = (props: WayOutProps): ReactNode => (
  <OpenMetric of={props} words="Open the import" show="import" />
);

/** Leads to the values of the metric, where they can be recorded again. */
export const OpenValues = (props: WayOutProps): ReactNode => (
  <OpenMetric of={props} words="Open the values" show="values" />
);

/** Asks since when the unit has no spend, so that the month no longer waits for it. */
export function EndOfUnit(props: WayOutProps): ReactNode {
  const { source_id: sourceId = '', unit = '' } = props.way;
  return props.doubt.code === 'charges_twice' ? (
    <EndInSource {...props} words="End it" suggested={addDays(firstDay(props.month), -1)} />
  ) : props.doubt.code === 'charges_left_out' ? (
    <EndInSource {...props} words="End it later" suggested={lastDay(props.month)} />
  ) : (
    <WayDialog of={props} words="It has ended" title={`${unit} has ended`}>
      {(close) => <EndUnit sourceId={sourceId} unit={unit} close={close} />}
    </WayDialog>
  );
}

/** Asks since when the unit counts in the other source only. */
function EndInSource({
  words,
  suggested,
  ...of
}: WayOutProps & {
  words: string;
  /** The last day to suggest. */
  suggested: Day;
}): ReactNode {
  const { source_id: sourceId = '', unit = '', sentence: about } = of.way;
  const { data } = useQuery(sourceQuery(sourceId));
  return (
    <WayDialog
      of={of}
      words={`${words} in ${data?.name ?? 'one source'}`}
      title={`End ${unit} in one source`}
    >
      {(close) => <EndUnitOn {...{ sourceId, unit, about, close }} lastDay={suggested} />}
    </WayDialog>
  );
}

/** Opens the lock of the month, with its doubts accepted. */
export const Accept = (props: WayOutProps): ReactNode =>
  props.accept !== null && <WayButton of={props} words="Accept it" onClick={props.accept} />;
