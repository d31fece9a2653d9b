import { requestedMetric } from '../access/revenue-access.ts';
import type { Api } from '../http/api-type.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import type { AskedById, Route } from './route.ts';
import { upToDate } from './up-to-date.ts';

/** Registers routes. Their handlers run with `dependencies`. */
export function registerRoutes<Dependencies extends ApiDependencies>(
  app: Api,
  routes: readonly Route<Dependencies>[],
  dependencies: Dependencies,
): void {
  for (const route of routes) {
    const { scope } = route;
    if (scope === undefined) register(app, route, dependencies);
    else
      void app.register(async (own) => {
        scope(own);
        register(own as Api, route, dependencies);
      });
  }
}

function register<Dependencies extends ApiDependencies>(
  app: Api,
  { method, path, schema, config, bodyLimit, admit, check, metric, reads, handle }: Route<Dependencies>,
  dependencies: Dependencies,
): void {
  app.route({
    method,
    url: path,
    schema,
    config,
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    ...(admit === undefined
      ? {}
      : {
          onRequest: async (request, reply) => {
            await admit(request, reply, dependencies);
          },
        }),
    // All of it is the work of the request, which holds its place until it ends (admission.ts).
    handler: async (request, reply) => {
      const now = dependencies.clock.now();
      await check?.(request, now, dependencies);
      const named =
        metric === undefined ? undefined : await requestedMetric(dependencies, request as AskedById, metric);
      const reading =
        reads === undefined
          ? undefined
          : await upToDate(dependencies, request, reads, now, named && [named.metric]);
      return handle(request, dependencies, { reply, ...named, ...reading });
    },
  });
}
