import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import * as z from 'zod/mini';
import { queryClient } from '../app/query-client.ts';
import { Shell } from '../app/shell.tsx';
import { webhooksQuery } from '../events/webhooks-query.ts';
import { sessionQuery, signedInAs } from '../http/session.ts';
import { importQuery } from '../imports/import-query.ts';
import { metricQuery, metricsQuery } from '../metrics/metric-queries.ts';
import { isShown } from '../metrics/metric-words.ts';
import { historyQuery } from '../metrics/values/history-query.ts';
import { firstMonths, valuesQuery } from '../metrics/values/values-query.ts';
import { metricNamesQuery } from '../organisations/audit/audit-query.ts';
import { keyNamesQuery, keysQuery } from '../organisations/keys/keys-query.ts';
import { organisationQuery, quotaQuery } from '../organisations/organisation-query.ts';
import { settingsSearch } from '../organisations/settings-search.ts';
import { monthSpendQuery } from '../overview/month-spend-query.ts';
import { overviewQuery, waitingQuery } from '../overview/overview-query.ts';
import { overviewSearch } from '../overview/overview-search.ts';
import { oneOf, optional } from '../shared/search-fields.ts';
import { Failure } from '../shared/states.tsx';
import { connectSearch } from '../sources/connect/connect-search.ts';
import { sourceSearch } from '../sources/source-search.ts';
import { runsQuery, sourceQuery, sourcesQuery } from '../sources/sources-queries.ts';
import { unitsQuery } from '../sources/units/units-query.ts';
import { rangeOf } from '../spend/costs/cost-range.ts';
import { breakdownQuery, costsQuery } from '../spend/costs/costs-queries.ts';
import { costsSearch } from '../spend/costs/costs-search.ts';
import { optionsQuery } from '../spend/picks/spend-queries.ts';
import { shownMonth } from '../teams/bills/bill-months.ts';
import {
  billsOfMonthQuery,
  billsQuery,
  billTotalsQuery,
  sharedCostsQuery,
  teamQuery,
  teamsQuery,
} from '../teams/team-queries.ts';
import { teamSearch, teamsSearch } from '../teams/teams-search.ts';
import { NotFound } from './not-found.tsx';
import { OverviewPage } from './overview.tsx';

/**
 * What loaders ask for, at once with the code of a page. The page shows the answers, or their errors. A link that is only
 * pointed at loads no data (`preload: false`), because the service records who reads revenue.
 */
function ask(...asked: readonly Promise<unknown>[]): void {
  for (const one of asked) one.catch(() => undefined);
}

const rootRoute = createRootRoute({
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
  beforeLoad: async ({ location }) => {
    const session = await queryClient.query({ ...sessionQuery, staleTime: 'static' });
    if (session === null) throw redirect({ to: '/sign-in', search: { next: location.href } });
    return { session: signedInAs(session) };
  },
  component: Shell,
});

const ofSession = { getParentRoute: () => signedIn, preload: false } as const;

const overview = createRoute({
  ...ofSession,
  path: '/',
  validateSearch: overviewSearch,
  loader: ({ context: { session } }) => {
    ask(queryClient.query(monthSpendQuery(session.today)), queryClient.query(waitingQuery));
    if (session.has('unit_economics')) ask(queryClient.query(overviewQuery));
  },
  component: OverviewPage,
});

const metrics = createRoute({
  ...ofSession,
  path: '/business-metrics',
  loader: ({ context: { session } }) => {
    if (session.has('unit_economics')) ask(queryClient.infiniteQuery(metricsQuery));
  },
  component: lazyRouteComponent(() => import('./metrics.tsx'), 'MetricsPage'),
});

const newMetric = createRoute({
  getParentRoute: () => signedIn,
  path: '/business-metrics/new',
  component: lazyRouteComponent(() => import('./new-metric.tsx'), 'NewMetricPage'),
});

const metric = createRoute({
  ...ofSession,
  path: '/business-metrics/$id',
  validateSearch: z.object({
    show: oneOf(['months', 'values', 'history', 'import', 'settings']),
    month: optional(z.string().check(z.regex(/^\d{4}-\d{2}$/))),
  }),
  loaderDeps: ({ search: { show } }) => ({ show }),
  loader: ({ context: { session }, params: { id }, deps: { show } }) => {
    const asked = queryClient.query(metricQuery(id)).then(async (metric) => {
      if (!isShown(metric)) return;
      if (show === 'values')
        await queryClient.infiniteQuery(valuesQuery(id, firstMonths(metric, session.today)));
      else if (show === 'history') await queryClient.infiniteQuery(historyQuery(id));
      else if (show === 'import' && session.may('admin')) await queryClient.query(importQuery(id));
    });
    ask(asked);
  },
  component: lazyRouteComponent(() => import('./metric.tsx'), 'MetricPage'),
});

const costs = createRoute({
  ...ofSession,
  path: '/costs',
  validateSearch: costsSearch,
  loaderDeps: ({ search: { start, end, by, step } }) => ({ start, end, by, step }),
  loader: ({ context: { session }, deps }) => {
    const range = rangeOf(deps, session.today);
    ask(
      queryClient.query(costsQuery(range)),
      queryClient.query(breakdownQuery(range, [deps.by])),
      queryClient.query(breakdownQuery(range, [deps.step, deps.by])),
    );
  },
  component: lazyRouteComponent(() => import('./costs.tsx'), 'CostsPage'),
});

const teams = createRoute({
  ...ofSession,
  path: '/teams',
  validateSearch: teamsSearch,
  loaderDeps: ({ search: { month, show } }) => ({ month, show }),
  loader: ({ context: { session }, deps: { month, show } }) => {
    if (!session.has('unit_economics')) return;
    if (show === 'bills')
      ask(
        queryClient.query(billsOfMonthQuery(shownMonth(month, session.today))),
        queryClient.query(billTotalsQuery),
      );
    else ask(queryClient.infiniteQuery(sharedCostsQuery), queryClient.query(teamsQuery));
  },
  component: lazyRouteComponent(() => import('./teams.tsx'), 'TeamsPage'),
});

const team = createRoute({
  ...ofSession,
  path: '/teams/$id',
  validateSearch: teamSearch,
  loaderDeps: ({ search: { show } }) => ({ show }),
  loader: ({ context: { session }, params, deps }) => {
    if (!session.has('unit_economics')) return;
    ask(queryClient.query(teamQuery(params.id)));
    if (deps.show === 'bills') ask(queryClient.query(billsQuery(params.id)));
    else if (session.may('admin')) ask(queryClient.infiniteQuery(optionsQuery(null, '')));
  },
  component: lazyRouteComponent(() => import('./team.tsx'), 'TeamPage'),
});

const sources = createRoute({
  ...ofSession,
  path: '/sources',
  loader: () => {
    ask(queryClient.infiniteQuery(sourcesQuery));
  },
  component: lazyRouteComponent(() => import('./sources.tsx'), 'SourcesPage'),
});

const newSource = createRoute({
  ...ofSession,
  path: '/sources/new',
  validateSearch: connectSearch,
  loader: () => {
    ask(queryClient.infiniteQuery(sourcesQuery));
  },
  component: lazyRouteComponent(() => import('./new-source.tsx'), 'NewSourcePage'),
});

const source = createRoute({
  ...ofSession,
  path: '/sources/$id',
  validateSearch: sourceSearch,
  loader: ({ context: { session }, params }) => {
    if (session.may('admin') && session.has('unit_economics')) ask(queryClient.infiniteQuery(metricsQuery));
    ask(
      queryClient.query(sourceQuery(params.id)),
      queryClient.query(unitsQuery(params.id)),
      queryClient.infiniteQuery(runsQuery(params.id)),
    );
  },
  component: lazyRouteComponent(() => import('./source.tsx'), 'SourcePage'),
});

const settings = createRoute({
  ...ofSession,
  path: '/settings',
  validateSearch: settingsSearch,
  loaderDeps: ({ search: { show } }) => ({ show }),
  loader: ({ context: { session }, deps }) => {
    if (deps.show === 'organisation')
      ask(queryClient.query(organisationQuery), queryClient.query(quotaQuery));
    else if (!session.may('admin')) return;
    else if (deps.show === 'keys') ask(queryClient.infiniteQuery(keysQuery));
    else if (deps.show === 'webhooks') ask(queryClient.infiniteQuery(webhooksQuery));
    // The log asks for its records itself, because those of each look are new.
    else ask(queryClient.query(keyNamesQuery), queryClient.query(metricNamesQuery));
  },
  component: lazyRouteComponent(() => import('./settings.tsx'), 'SettingsPage'),
});

const routeTree = rootRoute.addChildren([
  signIn,
  signedIn.addChildren([
    overview,
    metrics,
    newMetric,
    metric,
    costs,
    teams,
    team,
    sources,
    newSource,
    source,
    settings,
  ]),
]);

/** The pages by their paths. What a page shows is in its address, so that a link to it can be shared. */
export const router = createRouter({
  routeTree,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: ({ error }) => <Failure error={error} />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
