import { z } from 'zod';
import { ACTOR_TYPES } from '../../domain/organisations/actor.ts';
import { AUDIT_ACTIONS, listAuditLog } from '../../warehouse/engine/records/audit-log.ts';
import { callerOf } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { day, instant } from '../http/fields.ts';
import { page, pageQuery } from '../http/paging.ts';
import { pageOf } from '../routes/bodies.ts';
import { route, tagged, type Asked } from '../routes/route.ts';

const auditRecord = z
  .object({
    id: z.string(),
    at: instant,
    actor: z.object({
      type: z.enum(ACTOR_TYPES),
      id: z.string(),
      name: z.string(),
    }),
    action: z.string(),
    target: z.string().describe('Id of what was acted on'),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditRecord' });

const ACTION = { error: `expected one of ${AUDIT_ACTIONS.join(', ')}` };
const ID = { error: 'expected an id' };

const auditQuery = pageQuery
  .extend({
    actor: z
      .string(ID)
      .min(1, ID)
      .optional()
      .describe('Only what this key, import or operator did, by its id'),
    action: z.enum(AUDIT_ACTIONS, ACTION).optional().describe('Only this action'),
    target: z.string(ID).min(1, ID).optional().describe('Only what was done to this, by its id'),
    start: day.optional().describe('From this day on, inclusive'),
    end: day.optional().describe('Up to this day, inclusive'),
  })
  .refine(({ start, end }) => start === undefined || end === undefined || end >= start, {
    path: ['end'],
    error: 'expected a day not before start',
  });

function getAuditLog(request: Asked<{ query: typeof auditQuery }>, { warehouse }: ApiDependencies) {
  const { actor = null, action = null, target = null, start = null, end = null } = request.query;
  const filter = { actor, action, target, start, end };
  return page(
    request.query,
    z.uuid(),
    (part) => listAuditLog(warehouse, callerOf(request).organisation.id, part, filter),
    ({ id }) => id,
  );
}

/** `/audit-log`: every recorded action with its author, newest first. */
export const auditLogRoutes = tagged('Audit', [
  route('GET /audit-log', {
    access: 'admin',
    operationId: 'listAuditLog',
    summary: 'Who did what, newest first',
    query: auditQuery,
    answer: pageOf(auditRecord),
    handle: getAuditLog,
  }),
]);
