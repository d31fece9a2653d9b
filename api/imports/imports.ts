import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { firstImportedMonth, nextImportAt } from '../../domain/imports/connection.ts';
import { PLATFORMS } from '../../domain/imports/platforms.ts';
import { totalsByCategory, totalsByCurrency, type Uncounted } from '../../domain/imports/uncounted.ts';
import type { ConnectionToCheck } from '../../domain/imports/checked-connection.ts';
import { dayOf, monthOf, type Month } from '../../domain/shared/calendar.ts';
import { toWire } from '../../domain/shared/decimals.ts';
import { invalid, Outage, unavailable } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/text/for-message.ts';
import { openImportRun, uncountedOf } from '../../warehouse/imports/import-runs.ts';
import { importStates, type ImportState } from '../../warehouse/imports/import-states.ts';
import {
  connectImport,
  CREDENTIAL_UNREADABLE,
  importFrom,
  isCredentialUnreadable,
  type ImportConnection,
} from '../../warehouse/imports/imports.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import type { RevenueVault } from '../../warehouse/metrics/revenue-vault.ts';
import { callerOf, changeBy, type Caller } from '../access/authentication.ts';
import type { NamedMetric } from '../access/revenue-access.ts';
import type { ApiDependencies } from '../http/dependencies.ts';
import { found } from '../http/found.ts';
import { noBody, success, successOf } from '../routes/bodies.ts';
import { route, tagged, type Asked, type Replying } from '../routes/route.ts';
import { closeSignal } from '../http/files/tabular.ts';
import { disconnect } from '../metrics/disconnect.ts';
import {
  connectionOf,
  importBody,
  importCheck,
  importRecord,
  importRunBody,
  importStarted,
  OWN_TEXT_RULES,
} from './import-fields.ts';

/** A person waits for the check. */
const LONGEST_CHECK_MS = 30_000;

/** Asks the platform. Throws a 503 if it cannot be asked, or does not answer soon. */
function check({ checkConnection }: ApiDependencies, connection: ConnectionToCheck, reply: FastifyReply) {
  const tooLong = AbortSignal.timeout(LONGEST_CHECK_MS);
  const signal = AbortSignal.any([closeSignal(reply), tooLong]);
  return checkConnection(connection, signal).catch((error: unknown) => {
    if (tooLong.aborted) throw unavailable('the platform did not answer in time; try again later');
    throw error instanceof Outage ? unavailable(error.message) : error;
  });
}

async function stateOf({ warehouse }: ApiDependencies, caller: Caller, metric: Metric): Promise<ImportState> {
  const states = await importStates(warehouse, caller, [metric]);
  return found('import of metric', metric.id, states.get(metric.id) ?? null);
}

async function start(
  { warehouse, clock }: ApiDependencies,
  { organisation }: Caller,
  { metric_id, credential_id }: ImportConnection,
  startMonth: Month | null,
  begin: ApiDependencies['orchestration']['startImport'],
): Promise<z.infer<typeof importStarted>> {
  const input = { orgId: organisation.id, metricId: metric_id, startMonth };
  const { runId, workflowId } = await begin(input);
  await openImportRun(warehouse, { ...input, runId, workflowId }, credential_id, clock.now());
  return { run_id: runId, workflow_id: workflowId, status: 'running' };
}

/** `vault` is undefined for counts. */
function toWireImport(
  { connection, type, status, paused_reason, history }: ImportState,
  vault: RevenueVault | undefined,
  now: Date,
  problem: string | null = null,
): z.infer<typeof importRecord> {
  const { definition, connected_at, first_day } = connection;
  const { last = null, lastCompleted: completed = null } = history ?? {};
  const uncounted =
    PLATFORMS[type].listsUncounted && vault !== undefined ? uncountedOf(vault, completed) : undefined;
  return {
    ...definition,
    status,
    paused_reason,
    problem: problem ?? (uncounted === null ? UNCOUNTED_UNREADABLE : null),
    connected_at,
    first_month: monthOf(first_day),
    last_run: last === null ? null : { ...last, rows: last.rows_read },
    next_run_at: status === 'paused' ? null : nextImportAt(now).toISOString(),
    ...(uncounted === undefined
      ? {}
      : uncounted === null
        ? { other_currencies: null, left_out: null }
        : toWireUncounted(uncounted)),
  };
}

const UNCOUNTED_UNREADABLE =
  'what the import did not count cannot be opened: run it from its first month on to count it again';

const toWireUncounted = ({
  other_currencies,
  left_out,
}: Uncounted): Pick<z.infer<typeof importRecord>, 'other_currencies' | 'left_out'> => ({
  other_currencies: totalsByCurrency(other_currencies).map(({ currency, net_sales }) => ({
    currency,
    net_sales: toWire(net_sales),
  })),
  left_out: totalsByCategory(left_out).map(({ amount, ...of }) => ({ ...of, amount: toWire(amount) })),
});

async function getImport(request: Asked, dependencies: ApiDependencies, { metric, vault }: NamedMetric) {
  const { warehouse, sealer, clock } = dependencies;
  const caller = callerOf(request);
  const state = await stateOf(dependencies, caller, metric);
  const orgId = caller.organisation.id;
  const isUnreadable = await isCredentialUnreadable(warehouse, sealer, orgId, state.connection);
  return success(toWireImport(state, vault, clock.now(), isUnreadable ? CREDENTIAL_UNREADABLE : null));
}

async function putImport(
  request: Asked<{ body: typeof importBody }>,
  dependencies: ApiDependencies,
  { metric, vault, reply }: NamedMetric & Replying,
) {
  const { warehouse, orchestration, clock, sealer } = dependencies;
  const caller = callerOf(request);
  const now = clock.now();
  const asked = connectionOf(request.body, metric, now);
  const { problems } = await check(dependencies, asked, reply);
  if (problems.length > 0) throw invalid(problems.join('; '));
  const orgId = caller.organisation.id;
  const firstMonth = firstImportedMonth(now);
  const by = changeBy(caller, now);
  const { definition, credential } = asked;
  const connection = await connectImport(
    warehouse,
    sealer,
    orgId,
    metric.id,
    definition,
    credential,
    firstMonth,
    by,
  );
  await orchestration.scheduleImport({ orgId, metricId: metric.id });
  await start(dependencies, caller, connection, firstMonth, (input) => orchestration.restartImport(input));
  return success(toWireImport(await stateOf(dependencies, caller, metric), vault, now));
}

async function postCheck(
  request: Asked<{ body: typeof importBody }>,
  dependencies: ApiDependencies,
  { metric, reply }: NamedMetric & Replying,
) {
  const asked = connectionOf(request.body, metric, dependencies.clock.now());
  const { problems, columns, bytesProcessed } = await check(dependencies, asked, reply);
  return success({
    ok: problems.length === 0,
    problems,
    ...(bytesProcessed === undefined ? {} : { bytes_processed: bytesProcessed }),
    ...(columns === undefined ? {} : { columns }),
  });
}

async function postRun(
  request: Asked<{ body: typeof importRunBody }>,
  dependencies: ApiDependencies,
  { metric }: NamedMetric,
) {
  const { warehouse, orchestration, clock } = dependencies;
  const caller = callerOf(request);
  const now = clock.now();
  const startMonth = request.body?.start_month ?? null;
  const running = monthOf(dayOf(now));
  if (startMonth !== null && startMonth > running)
    throw invalid(`start_month: expected at most ${running}, got ${forMessage(startMonth)}`);
  const { connection } = await stateOf(dependencies, caller, metric);
  const { id: orgId } = caller.organisation;
  if (startMonth !== null) await importFrom(warehouse, orgId, connection, startMonth, changeBy(caller, now));
  const started = start(dependencies, caller, connection, startMonth, (input) =>
    orchestration.startAfter(
      async () => (await stateOf(dependencies, caller, metric)).history?.last ?? null,
      () => orchestration.startImport(input),
    ),
  );
  return success(await started);
}

async function deleteImport(request: Asked, dependencies: ApiDependencies, { metric, vault }: NamedMetric) {
  const caller = callerOf(request);
  const state = await stateOf(dependencies, caller, metric);
  await disconnect(dependencies, caller, metric.id);
  return success(toWireImport(state, vault, dependencies.clock.now()));
}

/** `/metrics/{id}/import`: the daily import of a metric (docs/concepts.md#daily-imports). */
export const importRoutes = tagged({ tag: 'Imports', plan: 'unit_economics' }, [
  route('GET /metrics/:id/import', {
    access: 'admin',
    operationId: 'getImport',
    summary: 'The daily import of a metric; a credential is never shown',
    answer: successOf(importRecord),
    metric: { viewed: 'import' },
    handle: getImport,
  }),
  route('PUT /metrics/:id/import', {
    access: 'admin',
    changesNumbers: true,
    ownTextRules: OWN_TEXT_RULES,
    operationId: 'connectImport',
    summary: 'Connect a metric, or replace its credential or query; then the last twelve months are read',
    body: importBody,
    answer: successOf(importRecord),
    metric: 'change',
    handle: putImport,
  }),
  route('POST /metrics/:id/import/check', {
    access: 'admin',
    ownTextRules: OWN_TEXT_RULES,
    operationId: 'checkImport',
    summary: 'Check what a connection would import; stores nothing, costs nothing',
    body: importBody,
    answer: successOf(importCheck),
    metric: 'change',
    handle: postCheck,
  }),
  route('POST /metrics/:id/import/run', {
    access: 'admin',
    changesNumbers: true,
    operationId: 'runImport',
    summary: 'Import now: the running month and the one before, or from a month on',
    errors: [409],
    body: importRunBody,
    answer: successOf(importStarted),
    metric: 'change',
    handle: postRun,
  }),
  route('DELETE /metrics/:id/import', {
    access: 'admin',
    operationId: 'disconnectImport',
    summary: 'Disconnect a metric: its credential is deleted, its values stay and can be edited again',
    body: noBody,
    answer: successOf(importRecord),
    metric: 'change',
    handle: deleteImport,
  }),
]);
