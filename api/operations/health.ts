import { z } from 'zod';
import { secondsToMidnight } from '../../domain/shared/calendar.ts';
import { callerOf } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { identity, instant } from '../http/fields.ts';
import { conditionOf, isReady } from './operations.ts';
import { answers, success } from '../routes/route-schema.ts';
import type { Api } from '../http/api-type.ts';

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

/** `GET /health` and `GET /auth/info`. */
export function healthRoutes(app: Api, dependencies: ApiDependencies): void {
  app.get(
    '/health',
    {
      config: { access: 'any' },
      schema: answers(health, {
        operationId: 'getHealth',
        tag: 'Health',
        summary: 'Health of the service and what it needs',
      }),
    },
    async () => {
      const condition = await conditionOf(dependencies);
      const status = isReady(condition) ? 'ok' : 'degraded';
      return success({ status, version: dependencies.version, ...condition } as const);
    },
  );

  app.get(
    '/auth/info',
    {
      config: { access: 'any' },
      schema: answers(authInfo, {
        operationId: 'getAuthInfo',
        tag: 'Health',
        summary: 'Whose key this is, and what is left of the daily quota',
      }),
    },
    (request) => {
      const { organisation, actor, permission, expiresAt, quota } = callerOf(request);
      const now = dependencies.clock.now();
      return success({
        organisation,
        key: { id: actor.id, name: actor.name, permission, expires_at: expiresAt },
        quota: {
          limit: quota.limit,
          used: quota.used,
          remaining: quota.remaining,
          resets_at: new Date(Math.round(now.getTime() / 1000 + secondsToMidnight(now)) * 1000).toISOString(),
        },
      });
    },
  );
}
