import { z } from 'zod';
import { secondsToMidnight } from '../../domain/shared/calendar.ts';
import { callerOf } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { identity, instant } from '../http/fields.ts';
import { conditionOf, isReady } from './operations.ts';
import { success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';

const state = z.enum(['ok', 'unreachable']);

const health = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  warehouse: state,
  temporal: state,
  disk: z.enum(['ok', 'full', 'read_only']).describe('full: less than 64 MiB are free'),
});

const authInfo = identity.extend({
  quota: z.object({
    limit: z.number().nullable(),
    used: z.number(),
    remaining: z.number().nullable(),
    resets_at: instant,
  }),
});

async function getHealth(_request: Asked, dependencies: ApiDependencies) {
  const condition = await conditionOf(dependencies);
  const status = isReady(condition) ? 'ok' : 'degraded';
  return success({ status, version: dependencies.version, ...condition } as const);
}

function getAuthInfo(request: Asked, { clock }: ApiDependencies) {
  const { organisation, actor, permission, expiresAt, quota } = callerOf(request);
  const now = clock.now();
  const resetsAt = new Date(Math.round(now.getTime() / 1000 + secondsToMidnight(now)) * 1000);
  const { limit, used, remaining } = quota;
  return success({
    organisation,
    key: { id: actor.id, name: actor.name, permission, expires_at: expiresAt },
    quota: { limit, used, remaining, resets_at: resetsAt.toISOString() },
  });
}

/** `/health` and `/auth/info`: the state of the service, and who the caller is. */
export const healthRoutes = tagged('Health', [
  route('GET /health', {
    access: 'any',
    operationId: 'getHealth',
    summary: 'Health of the service and what it needs',
    answer: successOf(health),
    handle: getHealth,
  }),
  route('GET /auth/info', {
    access: 'any',
    operationId: 'getAuthInfo',
    summary: 'Whose key this is, and what is left of the daily quota',
    answer: successOf(authInfo),
    handle: getAuthInfo,
  }),
]);
