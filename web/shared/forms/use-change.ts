import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { messageOf } from '../../http/api-error.ts';
import { showNotice } from './notice-list.tsx';

export interface ChangeOptions<Input, Result> {
  /**
   * Sends it. Leaving the form aborts the signal. A form that is a page itself does not use it, because the next page may not show
   * whether the change is stored.
   */
  send: (input: Input, signal: AbortSignal) => Promise<Result>;
  /** Subjects whose shown answers the change may touch (first parts of query keys). */
  changes: readonly string[];
  /** What to say once it is done; null to say nothing. */
  done?: (result: Result, input: Input) => string | null;
  onDone?: (result: Result, input: Input) => void;
  /** What else to do once it was refused. */
  onRefused?: (error: unknown) => void;
  /** Whether the caller shows the error itself, at the form. Otherwise a notification does. */
  showsError?: boolean;
}

/** A change, and how to send and stop it. */
export type Change<Input, Result> = Omit<UseMutationResult<Result, unknown, Input>, 'mutate'> & {
  mutate: (input: Input) => void;
  /** Stops what is being sent, so that nothing reaches the service later. */
  abandon: () => void;
};

/** A change through the API: says that it is done or why not, and asks again for what it may have changed. */
export function useChange<Input, Result>({
  send,
  changes,
  done,
  onDone,
  onRefused,
  showsError = false,
}: ChangeOptions<Input, Result>): Change<Input, Result> {
  const sending = useRef<AbortController | null>(null);
  const abandon = useCallback(() => {
    sending.current?.abort();
  }, []);
  const change = useMutation<Result, unknown, Input>({
    mutationFn: async (input) => {
      const own = new AbortController();
      sending.current = own;
      try {
        return await send(input, own.signal);
      } finally {
        if (sending.current === own) sending.current = null;
      }
    },
    meta: { changes, hasNotices: true },
    // What was sent may have a secret, which the page keeps no longer than the form.
    gcTime: 0,
    onSuccess: (result, input) => {
      const message = done?.(result, input) ?? null;
      if (message !== null) showNotice({ message, color: 'green' });
      onDone?.(result, input);
    },
    onError: (error) => {
      if (isAbandoned(error)) {
        if (changes.length > 0)
          showNotice({
            message: 'You left before the service answered. The page shows what is stored.',
            color: 'yellow',
          });
      } else if (!showsError)
        showNotice({
          title: 'That did not work',
          message: messageOf(error),
          color: 'red',
          autoClose: false,
        });
      if (!isAbandoned(error)) onRefused?.(error);
    },
  });
  const mutate = (input: Input): void => {
    // A second click may come before the button shows that the first one is being sent.
    if (sending.current === null) change.mutate(input);
  };
  return { ...change, mutate, abandon };
}

const isAbandoned = (error: unknown): boolean => error instanceof DOMException && error.name === 'AbortError';
