import { z } from 'zod';
import type { Access } from '../../domain/organisations/permissions.ts';
import type { Feature } from '../../domain/organisations/tiers.ts';
import type { Tag } from './tags.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route (docs/http.md#all-requests). Every route under /api/v1 sets it, but those of /session. */
    access?: Access;
    /** The feature that the organisation's plan must include. */
    feature?: Feature;
    /** Whether a successful call can change a unit cost. If so, events are evaluated afterwards. */
    changesNumbers?: true;
    /** Fields of the body whose texts the route checks itself (broken-text.ts). */
    ownTextRules?: readonly string[];
  }
}

const errorBody = z
  .strictObject({ success: z.literal(false), error: z.string() })
  .meta({ id: 'Error', description: 'What was expected, what came, and what to do.' });

const ERRORS: Record<number, string> = {
  400: 'Bad parameters: names the offending field, what was expected and what came.',
  401: 'The key or session is missing, wrong, expired, revoked or signed out.',
  403: 'The key lacks the permission, the plan lacks the feature, or a page of another site uses a session.',
  404: 'Not found in this organisation.',
  408: 'The body came too slowly.',
  409: 'The current state does not allow it; the message says why.',
  413: 'The body is too large.',
  415: 'The content type is not the expected one.',
  429: 'Daily call limit of the plan reached, or 50 calls of a session in a second; try again after the seconds of Retry-After.',
  500: 'Internal error; the message has no details.',
  503: 'Busy; try again after the seconds that Retry-After gives.',
};

interface Route<Body, Params, Query> {
  /** The name of the route in generated clients, such as `listMetrics`. It never changes. */
  operationId: string;
  tag: Tag;
  summary: string;
  description?: string;
  /** Who calls the route: by default a tenant with a key or a session. Anyone may try to sign in. */
  caller?: Caller;
  body?: Body;
  params?: Params;
  querystring?: Query;
  /** Error statuses beyond the common ones and those of a body. */
  errors?: readonly (404 | 409 | 413 | 415)[];
}

type Caller = 'tenant' | 'operator' | 'session' | 'anyone';

const TENANT_ERRORS = [400, 401, 403, 429, 500, 503] as const;

const COMMON_ERRORS = {
  tenant: TENANT_ERRORS,
  operator: [400, 401, 500, 503],
  session: TENANT_ERRORS,
  anyone: TENANT_ERRORS,
} as const satisfies Record<Caller, readonly number[]>;

/** What a route takes in the OpenAPI document, unless it takes what the document names for all. */
const SECURITY: Record<Caller, readonly Record<string, readonly string[]>[] | null> = {
  tenant: null,
  operator: [{ operator: [] }],
  session: [{ session: [] }],
  anyone: [],
};

/** A query or body without fields. Errors name the unknown fields. */
const noFields = z.strictObject({});

/** The schema for the body of a route that takes none: it also accepts null and an empty object. */
export const noBody = noFields.nullish();

/** Returns the schema of a route: its inputs, its response on success, and every error that it can return. */
export function describe<Response extends z.ZodType, Body, Params, Query>(
  response: Response,
  {
    operationId,
    tag,
    summary,
    description,
    caller = 'tenant',
    body,
    params,
    querystring,
    errors = [],
  }: Route<Body, Params, Query>,
) {
  const takesBody = body !== undefined && (body as unknown) !== noBody;
  const bodyErrors = takesBody ? [408, 413, 415] : [];
  const statuses = [...new Set([...COMMON_ERRORS[caller], ...bodyErrors, ...errors])].sort((a, b) => a - b);
  return {
    operationId,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(body === undefined ? {} : { body }),
    ...(params === undefined ? {} : { params }),
    querystring: querystring ?? noFields,
    ...(SECURITY[caller] === null ? {} : { security: SECURITY[caller] }),
    response: {
      200: response.describe('Success'),
      ...Object.fromEntries(
        statuses.map((status) => [status, errorBody.describe(ERRORS[status] ?? 'Error')]),
      ),
    },
  } as unknown as RouteSchema<Response, Body, Params, Query>;
}

/** Returns the schema of a route that returns rows as a file of one of some types. */
export function answersFile<Query extends z.ZodType>(
  types: readonly string[],
  route: Route<undefined, undefined, Query>,
) {
  const schema = describe(file, route);
  return { ...schema, response: { ...schema.response, 200: successOf(filesOf(types)) } };
}

/** Returns the schema of a route that by its Accept header returns the same as a file of one of some types, instead of JSON. */
export function alsoAnswersFile<Schema extends { response: { 200: z.ZodType } }>(
  types: readonly string[],
  schema: Schema,
): Schema {
  // JSON comes first, because generators that know one type take the first.
  const content = { 'application/json': { schema: schema.response[200] }, ...filesOf(types) };
  return { ...schema, response: { ...schema.response, 200: successOf(content) } };
}

const file = z.string().meta({ format: 'binary' });

const filesOf = (types: readonly string[]): Content =>
  Object.fromEntries(types.map((type) => [type, { schema: file }]));

type Content = Record<string, { schema: z.ZodType }>;

const successOf = (content: Content) => ({ description: 'Success', content });

type RouteSchema<Response, Body, Params, Query> = {
  operationId: string;
  tags: string[];
  summary: string;
  response: { 200: Response };
} & (Body extends z.ZodType ? { body: Body } : unknown) &
  (Params extends z.ZodType ? { params: Params } : unknown) &
  (Query extends z.ZodType ? { querystring: Query } : unknown);

/** Returns the schema of a route that does not return a page. */
export const answers = <
  Data extends z.ZodType,
  Body extends z.ZodType | undefined = undefined,
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
>(
  data: Data,
  route: Route<Body, Params, Query>,
) => describe(z.object({ success: z.literal(true), data }), route);

/** The envelope of a page of a list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ success: z.literal(true), data: z.array(item), next_cursor: z.string().nullable() });

/** Returns the schema of a route that returns a page of items. */
export const answersPage = <
  Item extends z.ZodType,
  Body extends z.ZodType | undefined = undefined,
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
>(
  item: Item,
  route: Route<Body, Params, Query>,
) => describe(pageOf(item), route);

/** The envelope of a success (docs/http.md#what-all-answers-have-in-common). */
export const success = <Data>(data: Data): { success: true; data: Data } => ({ success: true, data });
