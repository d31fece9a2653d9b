import { z } from 'zod';
import { EXPORT_KINDS, featureOf, type ExportKind } from '../../domain/exports/export-kind.ts';
import { monthsInclusive } from '../../domain/shared/calendar.ts';
import { invalid } from '../../domain/shared/errors.ts';
import { parquetBytes, textRows } from '../../warehouse/exports/export-rows.ts';
import { exportRows } from '../../warehouse/exports/exports.ts';
import { callerOf } from '../access/authentication.ts';
import { requestedRevenue, type Viewed } from '../access/revenue-access.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { month } from '../http/fields.ts';
import { file } from '../routes/bodies.ts';
import { route, tagged, type Asked, type Replying } from '../routes/route.ts';
import { noteUpdates } from '../routes/up-to-date.ts';
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

/** Returns how the audit log names the revenue of a kind. Throws `invalid` for a kind without revenue. */
function viewedIn(kind: ExportKind): Viewed {
  const viewed = REVENUE[kind];
  if (viewed === undefined)
    throw invalid(`revenue: expected only with months or values, got it with ${kind}`);
  return viewed;
}

function refuseRange({ start, end }: z.infer<typeof exportQuery>): void {
  if (start < FIRST_MONTH)
    throw invalid(`start: expected a month from ${FIRST_MONTH} on, got ${JSON.stringify(start)}`);
  if (end < start)
    throw invalid(`end: expected a month not before start ${start}, got ${JSON.stringify(end)}`);
  const months = monthsInclusive(start, end);
  if (months > MOST_MONTHS)
    throw invalid(`end: expected at most ${MOST_MONTHS} months from start, got ${months}`);
}

async function getExport(
  request: Asked<{ query: typeof exportQuery }>,
  dependencies: ApiDependencies,
  { reply }: Replying,
  kind: ExportKind,
) {
  const { warehouse, clock } = dependencies;
  const caller = callerOf(request);
  const { start, end, revenue: wanted, safe } = request.query;
  const viewed = wanted === undefined ? null : viewedIn(kind);
  const type = rowsType(request, viewed === null ? TYPES : REVENUE_TYPES);
  const revenue = viewed === null ? {} : { revenue: await requestedRevenue(dependencies, caller, viewed) };
  const { organisation } = caller;
  const rows = await exportRows(kind, {
    warehouse,
    organisation,
    start,
    end,
    now: clock.now(),
    ...revenue,
    noteUpdates: (spend) => {
      noteUpdates(request, spend);
    },
  });
  const signal = closeSignal(reply);
  const name = `${kind}-${start}-to-${end}`;
  return type === PARQUET
    ? sendFile(reply, PARQUET, name, parquetBytes(warehouse, rows, signal))
    : sendTabular(reply, type, name, textRows(warehouse, rows, signal), safe);
}

/** `/export/{kind}`: an organisation's rows of some months, for a data team's own warehouse. */
export const exportRoutes = tagged(
  'Export',
  EXPORT_KINDS.map((kind) =>
    route(`GET /export/${kind}`, {
      access: 'read',
      plan: featureOf(kind) ?? undefined,
      isHeavy: true,
      ...OPERATIONS[kind],
      description: `\`Accept\` chooses Parquet (the default), CSV or an Arrow stream. Each has every row.`,
      query: exportQuery,
      answer: file,
      files: TYPES,
      check: ({ query }) => {
        refuseRange(query);
        if (query.revenue !== undefined) viewedIn(kind);
      },
      handle: (request, dependencies, given) => getExport(request, dependencies, given, kind),
    }),
  ),
);
