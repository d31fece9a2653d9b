import { sessionQuery } from '../http/session.ts';
import { queryClient } from './query-client.ts';

// It runs before the browser evaluates the code of the pages, and the answer comes meanwhile. The sign-in needs none.
if (window.location.pathname !== '/sign-in') queryClient.query(sessionQuery).catch(() => undefined);
