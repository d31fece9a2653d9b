import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Form, type FormProps } from './form.tsx';
import { useChange, type ChangeOptions } from './use-change.ts';

interface DialogFormProps<Input, Result>
  extends
    Omit<FormProps, 'before' | 'justify' | 'change' | 'onSubmit'>,
    Omit<ChangeOptions<Input, Result>, 'showsError'> {
  /** Checks the fields and sends them: `onSubmit` of `useForm`, or {@link withoutFields}. */
  submit: (send: (input: Input) => void) => FormProps['onSubmit'];
  close: () => void;
}

/** The form of a dialog. It sends a change, and closes the dialog once the change is done. */
export function DialogForm<Input, Result>({
  send,
  changes,
  done,
  onDone,
  onRefused,
  submit,
  close,
  ...form
}: DialogFormProps<Input, Result>): ReactNode {
  const change = useChange<Input, Result>({
    send,
    changes,
    done,
    onDone: (...result) => {
      close();
      onDone?.(...result);
    },
    onRefused,
    showsError: true,
  });
  return (
    <Form
      {...form}
      change={change}
      justify="flex-end"
      before={
        <Button variant="default" onClick={close}>
          Cancel
        </Button>
      }
      onSubmit={submit(change.mutate)}
    />
  );
}

/** The `submit` of a form that only asks. */
export const withoutFields = (send: (input: undefined) => void) => (): void => {
  send(undefined);
};
