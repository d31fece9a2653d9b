import { z } from 'zod';
import { EXPORT_KINDS, featureOf, type ExportKind } from '../../domain/exports/export-kind.ts';
import { monthsInclusive } from '../../domain/shared/calendar.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { parquetBytes, textRows } from '../../warehouse/exports/export-rows.ts';
import { exportRows } from '../../warehouse/exports/exports.ts';
import { callerOf } from '../access/authentication.ts';
import { requestedRevenue, type Viewed } from '../access/revenue-access.ts';
import type { Api } from '../http/api-type.ts';
import type { NumberDependencies } from '../http/dependencies.ts';
import { month } from '../http/fields.ts';
import { noteUpdates } from '../http/note-updates.ts';
import { answersFile } from '../routes/route-schema.ts';
import {
  ARROW,
  closeSignal,
  CSV,
  PARQUET,
  rowsType,
  safeFor,
  sendFile,
  sendTabular,
} from '../http/files/tabular.ts';

const MOST_MONTHS = 12;
const FIRST_MONTH = '1970-01';

const TYPES = [PARQUET, CSV, ARROW] as const;
/** Revenue is never on a disk in plain form, and DuckDB writes a Parquet file to the disk first. */
const REVENUE_TYPES = [CSV, ARROW] as const;

/** The kinds that can have rows of revenue, as the audit log names them. */
const REVENUE: Partial<Record<ExportKind, Viewed>> = { months: 'exported months', values: 'exported values' };

const exportQuery = z.strictObject({
  start: month.describe('First month'),
  end: month.describe(`Last month, inclusive; at most ${MOST_MONTHS} months`),
  revenue: z
    .literal('include', { error: 'expected "include"' })
    .optional()
    .describe(
      'Only for admins, and only with months and values: adds the rows of revenue metrics, as CSV or Arrow',
    ),
  safe: safeFor,
});

const OPERATIONS: Record<ExportKind, { operationId: string; summary: string }> = {
  months: {
    operationId: 'exportMonths',
    summary: 'Rows of every metric and month: cost, value, unit cost, change, status and lock',
  },
  bills: { operationId: 'exportBills', summary: 'Rows of every team and month: the newest bill' },
  spend: {
    operationId: 'exportSpend',
    summary: 'Rows of spend by day in FOCUS columns, every dollar once, with the owning team',
  },
  values: { operationId: 'exportValues', summary: 'Rows of every current value of every metric' },
};

function refuseRange({ start, end }: z.infer<typeof exportQuery>): void {
  if (start < FIRST_MONTH)
    throw invalid(`start: expected a month from ${FIRST_MONTH} on, got ${JSON.stringify(start)}`);
  if (end < start)
    throw invalid(`end: expected a month not before start ${start}, got ${JSON.stringify(end)}`);
  const months = monthsInclusive(start, end);
  if (months > MOST_MONTHS)
    throw invalid(`end: expected at most ${MOST_MONTHS} months from start, got ${months}`);
}

/** `GET /export/{kind}`: an organisation's rows of some months, for a data team's own warehouse. */
export function exportRoutes(app: Api, dependencies: NumberDependencies): void {
  for (const kind of EXPORT_KINDS) exportRoute(app, dependencies, kind);
}

function exportRoute(app: Api, dependencies: NumberDependencies, kind: ExportKind): void {
  const feature = featureOf(kind);
  app.get(
    `/export/${kind}`,
    {
      config: { access: 'read', isHeavy: true, ...(feature === null ? {} : { feature }) },
      schema: answersFile(TYPES, {
        ...OPERATIONS[kind],
        tag: 'Export',
        description: `\`Accept\` chooses Parquet (the default), CSV or an Arrow stream. Each has every row.`,
        querystring: exportQuery,
      }),
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { organisation } = caller;
      const { start, end, revenue: wanted, safe } = request.query;
      refuseRange(request.query);
      const viewed = wanted === undefined ? null : REVENUE[kind];
      if (viewed === undefined)
        throw invalid(`revenue: expected only with months or values, got it with ${kind}`);
      const type = rowsType(request, viewed === null ? TYPES : REVENUE_TYPES);
      const revenue =
        viewed === null ? {} : { revenue: await requestedRevenue(dependencies, caller, viewed) };
      const rows = await exportRows(kind, {
        warehouse: dependencies.warehouse,
        organisation,
        start,
        end,
        now: dependencies.clock.now(),
        ...revenue,
        noteUpdates: (spend) => noteUpdates(dependencies, organisation.id, spend),
      });
      const signal = closeSignal(reply);
      const name = `${kind}-${start}-to-${end}`;
      return type === PARQUET
        ? sendFile(reply, PARQUET, name, parquetBytes(dependencies.warehouse, rows, signal))
        : sendTabular(reply, type, name, textRows(dependencies.warehouse, rows, signal), safe);
    },
  );
}
