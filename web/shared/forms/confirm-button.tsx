import type { ComponentProps, ReactNode } from 'react';
import { DialogButton, type DialogButtonProps } from './dialog-button.tsx';
import { DialogForm, withoutFields } from './dialog-form.tsx';

interface Question<Result> extends Pick<
  ComponentProps<typeof DialogForm<undefined, Result>>,
  'action' | 'isDangerous' | 'children' | 'changes' | 'done' | 'onDone'
> {
  send: (signal: AbortSignal) => Promise<Result>;
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
    {(close) => (
      <DialogForm
        {...{ changes, done, onDone, action, isDangerous, children, close }}
        send={(_: undefined, signal) => send(signal)}
        submit={withoutFields}
      />
    )}
  </DialogButton>
);
