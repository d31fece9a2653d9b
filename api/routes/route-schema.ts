import type { FastifySchema } from 'fastify';
import { z } from 'zod';
import type { Access } from '../../domain/organisations/permissions.ts';
import { file, noBody, noFields } from './bodies.ts';

/** Who may call a route: who has a permission in an organisation, the operator, the page of a session, or anyone. */
export type RouteAccess = Access | 'operator' | 'session' | 'anyone';

/** How the OpenAPI document describes a route. */
export interface Description {
  access: RouteAccess;
  /** The name of the route in generated clients, such as `listMetrics`. It never changes. */
  operationId: string;
  summary: string;
  description?: string;
  /** Error statuses beyond the common ones, those of a body, and the 404 of a path with an id. */
  errors?: readonly (404 | 409 | 413 | 415)[];
  body?: z.ZodType;
  /** The type of the body, if it is not JSON. */
  consumes?: string;
  params?: z.ZodType | undefined;
  query?: z.ZodType;
  answer: z.ZodType;
  /** The types of files in which the route can answer, by the header `Accept`. */
  files?: readonly string[];
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

const COMMON_ERRORS = [400, 401, 403, 429, 500, 503];
const OPERATOR_ERRORS = [400, 401, 500, 503];

/** What a route takes in the OpenAPI document, unless it takes what the document names for all. */
const SECURITY: Partial<Record<RouteAccess, readonly Record<string, readonly string[]>[]>> = {
  operator: [{ operator: [] }],
  session: [{ session: [] }],
  anyone: [],
};

/** Returns the schema of a route: its inputs, its answer, and every error that it can return. */
export function schemaOf({
  access,
  operationId,
  summary,
  description,
  errors = [],
  body,
  consumes,
  params,
  query,
  answer,
  files,
}: Description): FastifySchema {
  const bodyErrors = body !== undefined && body !== noBody ? [408, 413, 415] : [];
  const common = access === 'operator' ? OPERATOR_ERRORS : COMMON_ERRORS;
  const statuses = [...new Set([...common, ...bodyErrors, ...errors])].sort((a, b) => a - b);
  const security = SECURITY[access];
  return {
    operationId,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(body === undefined ? {} : { body }),
    ...(consumes === undefined ? {} : { consumes: [consumes] }),
    ...(params === undefined ? {} : { params }),
    querystring: query ?? noFields,
    ...(security === undefined ? {} : { security }),
    response: {
      200: files === undefined ? answer.describe('Success') : inTypes(answer, files),
      ...Object.fromEntries(
        statuses.map((status) => [status, errorBody.describe(ERRORS[status] ?? 'Error')]),
      ),
    },
  };
}

/** Returns the schema of an answer in some types. JSON comes first, because generators that know one type take the first. */
function inTypes(answer: z.ZodType, files: readonly string[]) {
  const json = answer === file ? {} : { 'application/json': { schema: answer.describe('Success') } };
  const content = { ...json, ...Object.fromEntries(files.map((type) => [type, { schema: file }])) };
  return { description: 'Success', content };
}
