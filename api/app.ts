import { randomUUID } from 'node:crypto';
import accepts from '@fastify/accepts';
import cookie from '@fastify/cookie';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import type { z } from 'zod';
import { answersAhead } from './access/answer-ahead.ts';
import { cacheResponses } from './access/response-cache.ts';
import { admitFairly } from './access/admission.ts';
import { assistantRoutes } from './assistant/assistant.ts';
import { auditLogRoutes } from './organisations/audit-log.ts';
import { authenticate, type OwnCall } from './access/authentication.ts';
import { dashboard } from './dashboard/dashboard.ts';
import { browserSessionRoutes, takeSessions } from './organisations/browser-session.ts';
import { limitBodies } from './requests/body-pace.ts';
import { limitConnections, type ConnectionLimits } from './requests/connections.ts';
import { CallMeter } from './access/call-meter.ts';
import { sourceFileRoutes } from './sources/source-files.ts';
import { checkSourceRoutes, newCheckPlaces } from './sources/check-source.ts';
import { costSourceUnitRoutes } from './sources/cost-source-units.ts';
import { costSourceRoutes } from './sources/cost-sources.ts';
import { usageMetricRoutes } from './sources/otlp/usage-metrics.ts';
import { costRoutes } from './spend/costs.ts';
import { spendOptionRoutes } from './spend/spend-options.ts';
import type { Api } from './http/api-type.ts';
import type { ApiDependencies } from './http/dependencies.ts';
import {
  answerBrokenHttp,
  answerErrors,
  answerFrameworkError,
  answerUnknownRoutes,
} from './http/error-answers.ts';
import { healthRoutes } from './operations/health.ts';
import { invalidInput } from './http/invalid-input.ts';
import { storeNothing } from './http/no-store.ts';
import { acceptJsonOnly } from './requests/json-body.ts';
import { importRoutes } from './imports/imports.ts';
import { keyRoutes } from './organisations/keys.ts';
import { metricRoutes } from './metrics/metrics.ts';
import { metricValueRoutes } from './metrics/metric-values.ts';
import { monthRoutes } from './months/months.ts';
import { watchNumberChanges } from './events/number-changes.ts';
import { operationRoutes } from './operations/operations.ts';
import { nameRequests } from './operations/name-requests.ts';
import { traceRequests } from './operations/trace-requests.ts';
import { overviewRoutes } from './overview/overview.ts';
import { Backups, backupRoutes } from './operator/backups.ts';
import { deletionRoutes } from './operator/delete-organisation.ts';
import { masterKeyRoutes } from './operator/master-key.ts';
import { operatorIngestRoutes } from './operator/operator-ingests.ts';
import { operatorRoutes, requireOperator } from './operator/operator.ts';
import { registerRoutes } from './routes/register-routes.ts';
import { SignInLimit } from './access/session/sign-in-limit.ts';
import { createKeyCheck } from './access/valid-key.ts';
import { serverInTurns } from './requests/request-turns.ts';
import { UploadPlaces } from './requests/upload-places.ts';
import { organisationRoutes } from './organisations/organisation.ts';
import { answerOddRequests, refuseOddRequests } from './requests/odd-requests.ts';
import { serveDocument } from './document/serve-document.ts';
import { SessionGate } from './access/session/session-gate.ts';
import { Tickets } from './access/tickets.ts';
import { OneLinePerRequest, withPathsOnly } from './requests/request-log.ts';
import { routableUrl } from './http/request-url.ts';
import { allBillRoutes } from './teams/all-bills.ts';
import { sharedCostRoutes } from './teams/shared-costs.ts';
import { teamBillRoutes } from './teams/team-bills.ts';
import { teamRoutes } from './teams/teams.ts';
import { valueUploadRoutes } from './metrics/value-upload.ts';
import { handValueRoutes } from './metrics/values-by-hand.ts';
import { exportRoutes } from './exports/exports.ts';
import { waitingRoutes } from './overview/waiting.ts';
import { webhookRoutes } from './events/webhooks.ts';

/** What the gates before routes share. */
type AccessDependencies = ApiDependencies & {
  meter: CallMeter;
  tickets: Tickets<OwnCall>;
  sessions: SessionGate;
};

/** Largest body, unless a route sets another limit. Definitions are read often, and the audit log keeps them. */
const BODY_LIMIT_BYTES = 2 ** 20;

/** Longest path parameter: as long as the longest header of Node, so that the key is always checked before the path. */
const LONGEST_PARAMETER = 16 * 1024;

/**
 * Connections, and how long headers may take, and then a body. Uploads must make progress in each such span. When the service
 * stops, running requests have as long.
 */
const LIMITS: ConnectionLimits = { mostConnections: 1_000, patienceMs: 30_000 };

const SERVER = {
  /** How often the server looks for slow headers. */
  connectionsCheckingInterval: 1_000,
  requireHostHeader: false,
};

/** Fastify loads compilers of its own, which take memory, unless it is given some before those of zod. */
function neverBuilt(): never {
  throw new Error('expected no schema before the compilers of zod');
}

/** Returns a server without routes, which checks inputs by their schemas. */
function newServer(logger: FastifyBaseLogger): Api {
  const app: Api = Fastify({
    loggerInstance: withPathsOnly(logger),
    logController: new OneLinePerRequest(),
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: () => randomUUID(),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_PARAMETER },
    rewriteUrl: ({ url = '/' }) => routableUrl(url),
    serverFactory: (handle) => serverInTurns(handle, SERVER),
    // A connection that is kept alive must not delay the end.
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: answerBrokenHttp,
    schemaController: { compilersFactory: { buildValidator: neverBuilt, buildSerializer: neverBuilt } },
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler<z.ZodType>(({ schema, httpPart }) => (input) => {
    const parsed = schema.safeParse(input);
    return parsed.success
      ? { value: parsed.data }
      : {
          error: invalidInput(
            parsed.error,
            input,
            httpPart === 'querystring' ? 'query' : (httpPart ?? 'input'),
          ),
        };
  });
  app.setSerializerCompiler(serializerCompiler);
  return app;
}

/**
 * Builds the whole HTTP service without listening, for the process that serves it and for tests. Closing it waits for the
 * running requests and stores the calls counted so far.
 */
export async function buildServer(
  dependencies: ApiDependencies,
  logger: FastifyBaseLogger,
  limits: Partial<ConnectionLimits> = {},
): Promise<Api> {
  const { mostConnections, patienceMs } = { ...LIMITS, ...limits };
  const app = newServer(logger);
  app.server.headersTimeout = patienceMs;
  nameRequests(app);
  if (dependencies.tracer !== null) traceRequests(app, dependencies.tracer);
  acceptJsonOnly(app);
  answerErrors(app, dependencies.disk);
  limitConnections(app, { mostConnections, patienceMs });
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  storeNothing(app);
  limitBodies(app, patienceMs);
  answerOddRequests(app.server);
  refuseOddRequests(app);

  await app.register(accepts);
  await app.register(cookie);
  await serveDocument(app, dependencies.version);

  operationRoutes(app, dependencies);
  await app.register(
    async (scope) => {
      serveOperator(scope, dependencies);
    },
    { prefix: '/operator' },
  );

  const { warehouse, clock } = dependencies;
  const meter = new CallMeter(warehouse, clock);
  const tickets = new Tickets<OwnCall>();
  const access = { ...dependencies, meter, tickets, sessions: new SessionGate(dependencies) };
  await assistantRoutes(app, access);
  await app.register(
    async (scope) => {
      serveSessions(scope, access);
    },
    { prefix: '/api/v1' },
  );
  await app.register(
    async (scope) => {
      serveOrganisations(scope, access);
    },
    { prefix: '/api/v1' },
  );
  answerUnknownRoutes(
    app,
    dependencies.pages === null ? undefined : await dashboard(app, dependencies.pages),
  );
  answersAhead(app, dependencies, tickets);
  app.addHook('onClose', () => meter.flush());
  return app;
}

function serveOperator(app: Api, dependencies: ApiDependencies): void {
  requireOperator(app, dependencies.operatorKey);
  const backups = new Backups(dependencies);
  app.addHook('onClose', () => backups.close());
  answerUnknownRoutes(app);
  const routes = [
    ...backupRoutes,
    ...deletionRoutes,
    ...operatorRoutes,
    ...masterKeyRoutes,
    ...operatorIngestRoutes,
  ];
  registerRoutes(app, routes, { ...dependencies, backups });
}

function serveSessions(app: Api, access: AccessDependencies): void {
  takeSessions(app);
  const signIns = new SignInLimit(access.metrics);
  const checkKey = createKeyCheck(access.warehouse, access.clock);
  registerRoutes(app, browserSessionRoutes, { ...access, signIns, checkKey });
}

/** Serves what people and programs do in an organisation. */
function serveOrganisations(app: Api, access: AccessDependencies): void {
  authenticate(app, access);
  cacheResponses(app, access);
  admitFairly(app, access);
  watchNumberChanges(app, access.orchestration);
  answerUnknownRoutes(app);
  registerRoutes(app, ORGANISATION_ROUTES, {
    ...access,
    uploads: new UploadPlaces(),
    checks: newCheckPlaces(),
  });
}

/** The routes of organisations, as the OpenAPI document lists them. */
const ORGANISATION_ROUTES = [
  ...healthRoutes,
  ...organisationRoutes,
  ...keyRoutes,
  ...costSourceRoutes,
  ...checkSourceRoutes,
  ...costSourceUnitRoutes,
  ...sourceFileRoutes,
  ...usageMetricRoutes,
  ...costRoutes,
  ...spendOptionRoutes,
  ...metricRoutes,
  ...metricValueRoutes,
  ...handValueRoutes,
  ...valueUploadRoutes,
  ...monthRoutes,
  ...importRoutes,
  ...overviewRoutes,
  ...waitingRoutes,
  ...teamRoutes,
  ...teamBillRoutes,
  ...allBillRoutes,
  ...sharedCostRoutes,
  ...webhookRoutes,
  ...exportRoutes,
  ...auditLogRoutes,
];
