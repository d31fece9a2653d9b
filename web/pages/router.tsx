import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import * as z from 'zod/mini';
import { sessionQuery } from '../http/session.ts';
import { settingsSearch } from '../organisations/settings-search.ts';
import { overviewSearch } from '../overview/overview-search.ts';
import { Failure } from '../shared/states.tsx';
import { sourceSearch } from '../sources/source-search.ts';
import { costsSearch } from '../spend/costs/costs-search.ts';
import { teamSearch, teamsSearch } from '../teams/teams-search.ts';
import { NotFound } from './not-found.tsx';
import { queryClient } from '../app/query-client.ts';
import { Shell } from '../app/shell.tsx';

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFound,
});

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  // Only a path of this service, so that no link to the sign-in leads elsewhere.
  validateSearch: z.object({
    next: z._default(z.catch(z.string().check(z.regex(/^\/(?![/\\])/)), '/'), '/'),
  }),
  component: lazyRouteComponent(() => import('./sign-in.tsx'), 'SignInPage'),
});

const signedIn = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.query({ ...sessionQuery, staleTime: 'static' });
    if (session === null) throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
  component: Shell,
});

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: overviewSearch,
  component: lazyRouteComponent(() => import('./overview.tsx'), 'OverviewPage'),
});

const metrics = createRoute({
  getParentRoute: () => signedIn,
  path: '/business-metrics',
  component: lazyRouteComponent(() => import('./metrics.tsx'), 'MetricsPage'),
});

const newMetric = createRoute({
  getParentRoute: () => signedIn,
  path: '/business-metrics/new',
  component: lazyRouteComponent(() => import('./new-metric.tsx'), 'NewMetricPage'),
});

const metric = createRoute({
  getParentRoute: () => signedIn,
  path: '/business-metrics/$id',
  validateSearch: z.object({
    show: z._default(
      z.catch(z.enum(['months', 'values', 'history', 'import', 'settings']), 'months'),
      'months',
    ),
    month: z.catch(z.optional(z.string().check(z.regex(/^\d{4}-\d{2}$/))), undefined),
  }),
  component: lazyRouteComponent(() => import('./metric.tsx'), 'MetricPage'),
});

const costs = createRoute({
  getParentRoute: () => signedIn,
  path: '/costs',
  validateSearch: costsSearch,
  component: lazyRouteComponent(() => import('./costs.tsx'), 'CostsPage'),
});

const teams = createRoute({
  getParentRoute: () => signedIn,
  path: '/teams',
  validateSearch: teamsSearch,
  component: lazyRouteComponent(() => import('./teams.tsx'), 'TeamsPage'),
});

const team = createRoute({
  getParentRoute: () => signedIn,
  path: '/teams/$id',
  validateSearch: teamSearch,
  component: lazyRouteComponent(() => import('./team.tsx'), 'TeamPage'),
});

const sources = createRoute({
  getParentRoute: () => signedIn,
  path: '/sources',
  component: lazyRouteComponent(() => import('./sources.tsx'), 'SourcesPage'),
});

const source = createRoute({
  getParentRoute: () => signedIn,
  path: '/sources/$id',
  validateSearch: sourceSearch,
  component: lazyRouteComponent(() => import('./source.tsx'), 'SourcePage'),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import('./settings.tsx'), 'SettingsPage'),
});

const routeTree = rootRoute.addChildren([
  signIn,
  signedIn.addChildren([overview, metrics, newMetric, metric, costs, teams, team, sources, source, settings]),
]);

/** The pages by their paths. What a page shows is in its address, so that a link to it can be shared. */
export const router = createRouter({
  routeTree,
  context: { queryClient },
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error }) => <Failure error={error} />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
