import { z } from 'zod';
import { listAuditLog } from '../../warehouse/engine/records/audit-log.ts';
import { callerOf } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { instant } from '../http/fields.ts';
import { page, pageQuery } from '../http/paging.ts';
import { answersPage } from '../http/route-schema.ts';
import type { Api } from '../http/api-type.ts';

const auditRecord = z
  .object({
    id: z.string(),
    at: instant,
    actor: z.object({ type: z.enum(['key', 'import', 'operator']), id: z.string(), name: z.string() }),
    action: z.string(),
    target: z.string().describe('Id of what was acted on'),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'AuditRecord' });

/** `GET /audit-log`: every recorded action with its author, newest first. */
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
