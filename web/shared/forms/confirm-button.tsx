import type { ReactNode } from 'react';
import { DialogButton, type DialogButtonProps } from './dialog-button.tsx';
import { DialogForm } from './dialog-form.tsx';
import { useChange } from './use-change.ts';

interface Question<Result> extends Pick<
  Parameters<typeof useChange<undefined, Result>>[0],
  'changes' | 'done' | 'onDone'
> {
  send: (signal: AbortSignal) => Promise<Result>;
  /** The name of the button that does it. */
  action: string;
  isDangerous?: boolean;
  /** What happens, in words. */
  children: ReactNode;
}

/** A button that changes something after a question. A refusal of the API shows in the dialog. */
export const ConfirmButton = <Result,>({
  send,
  changes,
  done,
  onDone,
  action,
  isDangerous = true,
  children,
  ...button
}: Question<Result> & DialogButtonProps): ReactNode => (
  <DialogButton {...button}>
    {(close) => <Asked {...{ send, changes, done, onDone, action, isDangerous, children, close }} />}
  </DialogButton>
);

function Asked<Result>({
  send,
  onDone,
  action,
  isDangerous,
  children,
  close,
  ...options
}: Question<Result> & { close: () => void }): ReactNode {
  const change = useChange<undefined, Result>({
    ...options,
    send: (_, signal) => send(signal),
    onDone: (...result) => {
      close();
      onDone?.(...result);
    },
    showsError: true,
  });
  return (
    <DialogForm
      change={change}
      action={action}
      isDangerous={isDangerous}
      onSubmit={() => {
        change.mutate(undefined);
      }}
      onCancel={close}
    >
      {children}
    </DialogForm>
  );
}
