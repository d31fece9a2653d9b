import { MutationCache, QueryCache, QueryClient, type Query } from '@tanstack/react-query';
import { ApiError, isConflict, isSignedOut } from '../http/api-error.ts';
import { sessionQuery } from '../http/session.ts';

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** First parts of the keys of queries whose answers the mutation may change. All of them without it. */
      changes?: readonly string[];
      /** Whether it may show a notice (useChange). */
      hasNotices?: true;
    };
  }
}

const MOST_RETRIES = 3;
const WITHIN_MS = 30_000;

/** Whether asking again can help: the service was busy, or could not be reached. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status === 503 || error.status === 429;

/** Leads to the sign-in once the session has ended (shell.tsx). */
function endSession(error: unknown): void {
  if (isSignedOut(error)) queryClient.setQueryData(sessionQuery.queryKey, null);
}

/** The answers that pages share. A change makes the answers stale that it may touch, and shown ones are asked again. */
export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: endSession }),
  mutationCache: new MutationCache({
    onError: endSession,
    onSettled: async (_data, error, _variables, _context, mutation) => {
      // After a conflict the page shows what has changed meanwhile.
      if (error !== null && !isPassing(error) && !isConflict(error)) return;
      const changes = mutation.meta?.changes;
      const asked = queryClient.invalidateQueries({
        predicate: ({ queryKey: [subject] }: Query) =>
          subject !== 'session' && (changes === undefined || changes.includes(String(subject))),
      });
      // A failure shows at once. A success lasts until the page shows it.
      if (error === null) await asked;
    },
  }),
  defaultOptions: {
    // The library would hold a change without a network, and send it later, when its dialog may be closed. It fails instead.
    mutations: { networkMode: 'always', retry: false },
    queries: {
      networkMode: 'always',
      refetchOnReconnect: true,
      staleTime: WITHIN_MS,
      retry: (failures, error) => isPassing(error) && failures < MOST_RETRIES,
      retryDelay: (failures, error) =>
        error instanceof ApiError && error.retryAfter !== null
          ? error.retryAfter * 1_000
          : 500 * 2 ** failures,
    },
  },
});
