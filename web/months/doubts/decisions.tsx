import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, dataOf } from '../../http/api.ts';
import { DialogForm, withoutFields } from '../../shared/forms/dialog-form.tsx';
import { Dimmed } from '../../shared/dimmed.tsx';
import { sentence } from '../../shared/sentences.tsx';
import { SPEND_CHANGES } from '../../sources/sources-queries.ts';
import { WayDialog, type WayOutProps } from './way-button.tsx';

interface Decided {
  of: WayOutProps;
  /** The name of the decision. */
  words: string;
  send: (sourceId: string, signal: AbortSignal) => Promise<unknown>;
  /** What to say once it is stored. */
  done: string;
}

/** A way out that changes what counts. It says what happens, and asks first. */
const Decision = ({ of, words, send, done }: Decided): ReactNode => (
  <WayDialog of={of} words={words} title={`${words}?`}>
    {(close) => (
      <DialogForm
        action={words}
        send={async (_: undefined, signal) => {
          const isOpen = await isStillOpen(of, signal);
          if (isOpen) await send(of.way.source_id ?? '', signal);
          return isOpen;
        }}
        changes={SPEND_CHANGES}
        done={(isOpen) => (isOpen ? done : 'Nothing was changed, because this doubt had ended already.')}
        submit={withoutFields}
        close={close}
      >
        <Text size="sm">{sentence(of.way.sentence)}</Text>
        <Dimmed>All open months follow at once. You can take it back on the page of the source.</Dimmed>
      </DialogForm>
    )}
  </WayDialog>
);

/** Whether the month still has the way out. Since the page was read, somebody may have decided otherwise. */
async function isStillOpen({ metric, month, way }: WayOutProps, signal: AbortSignal): Promise<boolean> {
  const months = await dataOf(
    api.GET('/api/v1/metrics/{id}/months', { params: { path: { id: metric.id } }, signal }),
  );
  const doubts = months.find((known) => known.month === month)?.missing ?? [];
  return doubts
    .flatMap(({ ways_out }) => ways_out)
    .some(({ sentence: words, source_id }) => words === way.sentence && source_id === way.source_id);
}

/** Says that a unit is right: beside the charges of another source or file, or without those that its end leaves out. */
export function Stands(props: WayOutProps): ReactNode {
  const { unit = '' } = props.way;
  return (
    <Decision
      of={props}
      {...(props.doubt.code === 'charges_left_out'
        ? { words: 'It is right without them', done: `${unit} is right without these charges.` }
        : { words: 'Both are right', done: `The charges of ${unit} count beside the others.` })}
      send={(id, signal) =>
        dataOf(
          api.POST('/api/v1/cost-sources/{id}/units/confirm', {
            params: { path: { id } },
            body: { unit, stands: true },
            signal,
          }),
        )
      }
    />
  );
}

/** Stores whether the machines of a source are on a bill. Its other options stay. */
async function setOnBill(id: string, on_bill: 'always' | 'never', signal: AbortSignal): Promise<unknown> {
  const params = { path: { id } };
  const source = await dataOf(api.GET('/api/v1/cost-sources/{id}', { params, signal }));
  const options = { ...source.options, on_bill };
  return dataOf(api.PATCH('/api/v1/cost-sources/{id}', { params, body: { options }, signal }));
}

/** Says that the bills include the machines of a source, so that they count once. */
export const OnBillAlways = (props: WayOutProps): ReactNode => (
  <Decision
    of={props}
    words="They are on the bill"
    done="The machines count with the bill."
    send={(id, signal) => setOnBill(id, 'always', signal)}
  />
);

/** Says that no bill includes the machines of a source, so that their own cost counts. */
export const OnBillNever = (props: WayOutProps): ReactNode => (
  <Decision
    of={props}
    words="They are on no bill"
    done="The machines count by their own cost."
    send={(id, signal) => setOnBill(id, 'never', signal)}
  />
);
