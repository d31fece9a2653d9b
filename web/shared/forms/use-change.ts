import { notifications } from '@mantine/notifications';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { messageOf } from '../../http/api-error.ts';

interface Options<Input, Result> {
  send: (input: Input) => Promise<Result>;
  /** Subjects whose shown answers the change may touch (first parts of query keys). */
  changes: readonly string[];
  /** What to say once it is done. */
  done?: (result: Result, input: Input) => string;
  onDone?: (result: Result, input: Input) => void;
  /** Whether the caller shows the error itself, at the form. Otherwise a notification does. */
  showsError?: boolean;
}

/** A change through the API: says that it is done or why not, and asks again for what it may have changed. */
export const useChange = <Input, Result>({
  send,
  changes,
  done,
  onDone,
  showsError = false,
}: Options<Input, Result>): UseMutationResult<Result, unknown, Input> =>
  useMutation<Result, unknown, Input>({
    mutationFn: send,
    meta: { changes },
    onSuccess: (result, input) => {
      if (done !== undefined) notifications.show({ message: done(result, input), color: 'green' });
      onDone?.(result, input);
    },
    onError: (error) => {
      if (!showsError)
        notifications.show({
          title: 'That did not work',
          message: messageOf(error),
          color: 'red',
          autoClose: false,
        });
    },
  });
