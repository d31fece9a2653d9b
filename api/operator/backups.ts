import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { conflict } from '../../domain/shared/errors.ts';
import { backUp } from '../../warehouse/engine/backup/back-up.ts';
import type { Api } from '../http/api-type.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { instant } from '../http/fields.ts';
import { answers, success } from '../http/route-schema.ts';

/** The newest backup of this process. */
export const backupRecord = z
  .object({
    status: z.enum(['running', 'completed', 'failed']),
    to: z.string(),
    taken_at: instant,
    bytes: z.number().nullable(),
    rows: z.number().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'Backup' });

type BackupRecord = z.infer<typeof backupRecord>;

const target = z.strictObject({
  to: z
    .string()
    .refine(isAbsolute, { error: 'expected the absolute path of a folder' })
    .describe('An empty or new folder on the machine of the service'),
});

/** `/operator/backups`: copies the data of the running service (contract §4). One backup runs at a time. */
export const backupRoutes = (app: Api, { warehouse, clock, version }: ApiDependencies): void => {
  let newest: BackupRecord | null = null;
  let running = Promise.resolve();
  // A backup under way is completed before the warehouse closes.
  app.addHook('onClose', () => running);

  app.post(
    '/backups',
    {
      schema: answers(backupRecord, {
        tag: 'Operator',
        caller: 'operator',
        summary: 'Start a backup of the running service',
        body: target,
        errors: [409],
      }),
    },
    (request) => {
      if (newest?.status === 'running') throw conflict(`a backup to ${newest.to} is running`);
      const now = clock.now();
      const { to } = request.body;
      const begun = { status: 'running', to, taken_at: now.toISOString(), bytes: null, rows: null } as const;
      newest = { ...begun, error: null };
      running = backUp(warehouse, to, { version, now }).then(
        ({ bytes, rows }) => {
          const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
          newest = { ...begun, status: 'completed', bytes, rows: total, error: null };
        },
        (error: unknown) => {
          request.log.error({ err: error }, 'the backup failed');
          newest = {
            ...begun,
            status: 'failed',
            error: error instanceof Error ? error.message : String(error),
          };
        },
      );
      return success(newest);
    },
  );

  app.get(
    '/backups',
    {
      schema: answers(backupRecord.nullable(), {
        tag: 'Operator',
        caller: 'operator',
        summary: 'The newest backup since the service started',
      }),
    },
    () => success(newest),
  );
};
