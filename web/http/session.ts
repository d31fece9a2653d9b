import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { permits, type Access } from '../../domain/organisations/permissions.ts';
import { includes, type Feature } from '../../domain/organisations/tiers.ts';
import { api, dataOf, type Schema } from './api.ts';
import { isSignedOut } from './api-error.ts';

export type Session = Schema<'Session'>;

/** The session of the browser; null if nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return await dataOf(api.GET('/api/v1/session', { signal }));
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
  staleTime: Infinity,
});

/** Goes back to the sign-in, and forgets what the session has read. */
export function forgetSession(queryClient: QueryClient): void {
  queryClient.setQueryData(sessionQuery.queryKey, null);
  queryClient.removeQueries({ predicate: ({ queryKey: [subject] }) => subject !== 'session' });
}

/**
 * The session of the shown page. It changes together with the frame, so that no part of a page is drawn without a session
 * before the sign-in takes its place.
 */
export const SessionContext = createContext<Session | null>(null);

/** The session of a page, with what its key and plan allow. */
export interface SignedIn extends Session {
  may: (access: Access) => boolean;
  has: (feature: Feature) => boolean;
}

/** The session of a page that only signed-in people see. */
export function useSession(): SignedIn {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('nobody is signed in');
  return signedInAs(session);
}

/** Returns a session with what its key and plan allow. */
export const signedInAs = (session: Session): SignedIn => ({
  ...session,
  may: (access) => permits(session.key.permission, access),
  has: (feature) => includes(session.organisation.tier, feature),
});
