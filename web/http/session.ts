import { queryOptions, useQuery } from '@tanstack/react-query';
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

/** The session of a page, with what its key and plan allow. */
export interface SignedIn extends Session {
  may: (access: Access) => boolean;
  has: (feature: Feature) => boolean;
}

/** The session of a page that only signed-in people see. */
export const useSession = (): SignedIn => {
  const { data } = useQuery(sessionQuery);
  if (data === undefined || data === null) throw new Error('nobody is signed in');
  return {
    ...data,
    may: (access) => permits(data.key.permission, access),
    has: (feature) => includes(data.organisation.tier, feature),
  };
};
