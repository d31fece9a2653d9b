import type { FastifyContextConfig, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { z } from 'zod';
import type { Access } from '../../domain/organisations/permissions.ts';
import type { Feature } from '../../domain/organisations/tiers.ts';
import type { MetricUse, NamedMetric } from '../access/revenue-access.ts';
import type { Api } from '../http/api-type.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { idParams } from '../http/fields.ts';
import { schemaOf, type Description, type RouteAccess } from './route-schema.ts';
import type { Tag } from './tags.ts';
import type { Reading, Reads } from './up-to-date.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Which permission a caller needs. Only routes of organisations set it. */
    access?: Access;
    /** The feature that the organisation's plan must include. */
    plan?: Feature | undefined;
    /** Whether a successful call can change a unit cost. If so, events are evaluated afterwards. */
    changesNumbers?: true;
    /** Fields of the body whose texts the route checks itself (broken-text.ts). */
    ownTextRules?: readonly string[];
  }
}

type Parsed<Inputs, Part extends string> =
  Inputs extends Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : unknown;

/** A request whose inputs have passed the schemas of its route. */
export type Asked<Inputs = unknown> = FastifyRequest<{
  Body: Parsed<Inputs, 'body'>;
  Params: Parsed<Inputs, 'params'>;
  Querystring: Parsed<Inputs, 'query'>;
}>;

/** A request whose path has one id. */
export type AskedById = Asked<{ params: typeof idParams }>;

/** What a handler gets of its reply. */
export interface Replying {
  reply: FastifyReply;
}

type Given<Use, Read> = Replying &
  (Use extends MetricUse ? NamedMetric : unknown) &
  (Read extends Reads ? Reading : unknown);

type OrReply<Answer> = Answer | FastifyReply | Promise<Answer | FastifyReply>;

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The parameters of a path, if it has the id of one thing and no other. */
type ParamsOf<Target extends string> = Target extends `${string}:id${string}`
  ? typeof idParams
  : z.ZodUnknown;

/** What a route states for the hooks of its scope. */
const CONFIGURED = ['plan', 'isCached', 'isHeavy', 'changesNumbers', 'takesUpload', 'ownTextRules'] as const;

interface Limits extends Pick<FastifyContextConfig, (typeof CONFIGURED)[number]> {
  /** The largest body in bytes, if it is not the usual one. */
  bodyLimit?: number;
  /** Prepares a scope of its own for the route, for example with a parser of other bodies. */
  scope?: (app: Api) => void;
}

/** A route: who may call it, what it takes, reads and answers, and its handler. */
interface Definition<
  Answer extends z.ZodType,
  Body extends z.ZodType,
  Params,
  Query extends z.ZodType,
  Use,
  Read,
  Dependencies,
>
  extends Omit<Description, 'params'>, Limits {
  body?: Body;
  /** The schema of the path's parameters, unless it has only an `id`. */
  params?: Params;
  query?: Query;
  answer: Answer;
  /** Runs after the checks of the scope, and before the body is read. */
  admit?: (request: FastifyRequest, reply: FastifyReply, dependencies: Dependencies) => unknown;
  /** Throws for inputs that do not fit each other or name nothing, before anything is brought up to date. */
  check?: (
    request: Asked<{ body: Body; params: Params; query: Query }>,
    now: Date,
    dependencies: Dependencies,
  ) => unknown;
  /** How the route uses the metric with the `id` of its path. This decides who may call it if that is a revenue metric. */
  metric?: Use;
  /** What is brought up to date before the handler. */
  reads?: Read | undefined;
  handle: (
    request: Asked<{ body: Body; params: Params; query: Query }>,
    dependencies: Dependencies,
    given: Given<Use, Read>,
  ) => OrReply<z.output<Answer>>;
}

/** A route as `registerRoutes` takes it. */
export interface Route<in Dependencies = ApiDependencies> extends Pick<Limits, 'bodyLimit' | 'scope'> {
  method: Method;
  path: string;
  schema: FastifySchema;
  config: FastifyContextConfig;
  admit?: (request: FastifyRequest, reply: FastifyReply, dependencies: Dependencies) => unknown;
  check?: (request: FastifyRequest, now: Date, dependencies: Dependencies) => unknown;
  metric?: MetricUse;
  reads?: Reads;
  handle: (request: FastifyRequest, dependencies: Dependencies, given: object) => unknown;
}

/** Describes a route by its request, such as `GET /teams/:id`. Nothing is registered yet. */
export function route<
  const Target extends `${Method} /${string}`,
  Answer extends z.ZodType,
  Body extends z.ZodType = z.ZodUnknown,
  Params = ParamsOf<Target>,
  Query extends z.ZodType = z.ZodUnknown,
  Use extends MetricUse | undefined = undefined,
  Read extends Reads | undefined = undefined,
  Dependencies = ApiDependencies,
>(
  target: Target,
  definition: Definition<Answer, Body, Params, Query, Use, Read, Dependencies>,
): Route<Dependencies> {
  const [method, path = ''] = target.split(' ');
  const hasId = path.includes('/:id');
  const params = definition.params ?? (hasId ? idParams : undefined);
  const { access, errors = [] } = definition;
  const config = {
    ...(isPermission(access) ? { access } : {}),
    ...Object.fromEntries(CONFIGURED.map((field) => [field, definition[field]])),
  };
  const schema = schemaOf({
    ...definition,
    params: params as z.ZodType | undefined,
    errors: hasId ? [404, ...errors] : errors,
  });
  return { ...definition, method, path, config, schema } as unknown as Route<Dependencies>;
}

const isPermission = (access: RouteAccess): access is Access =>
  access !== 'operator' && access !== 'session' && access !== 'anyone';

/** Returns routes with their group in the OpenAPI document, and the plan that all of them need. */
export function tagged<Dependencies>(
  group: Tag | { tag: Tag; plan: Feature },
  routes: readonly Route<Dependencies>[],
): Route<Dependencies>[] {
  const { tag, ...limits } = typeof group === 'string' ? { tag: group } : group;
  return routes.map((each) => ({
    ...each,
    schema: { ...each.schema, tags: [tag] },
    config: { ...each.config, ...limits },
  }));
}
