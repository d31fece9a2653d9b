import { z } from 'zod';
import { listAuditLog } from '../warehouse/audit-log.ts';
import { callerOf } from './authentication.ts';
import type { ApiDependencies } from './dependencies.ts';
import { instant } from './fields.ts';
import { page, pageQuery } from './paging.ts';
import { answersPage } from './route-schema.ts';
import type { Api } from './server.ts';

const auditRecord = z
  .object({
    id: z.string(),
    at: instant,
    actor: z.object({ type: z.enum(['key', 'operator']), id: z.string(), name: z.string() }),
    action: z.string(),
    target: z.string().describe('Id of what was acted on'),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditRecord' });

/** `GET /audit-log`: who did what, newest first. */
export const auditLogRoutes = (app: Api, { warehouse }: ApiDependencies): void => {
  app.get(
    '/audit-log',
    {
      config: { access: 'admin' },
      schema: answersPage(auditRecord, {
        tag: 'Audit',
        summary: 'Who did what, newest first',
        querystring: pageQuery,
      }),
    },
    (request) =>
      page(
        request.query,
        z.uuid(),
        (part) => listAuditLog(warehouse, callerOf(request).organisation.id, part),
        ({ id }) => id,
      ),
  );
};
