import type { FastifyReply } from 'fastify';
import type { z } from 'zod';
import { firstImportedMonth, nextImportAt } from '../../domain/imports/connection.ts';
import { totalsByCategory, totalsByCurrency, type Uncounted } from '../../domain/imports/net-sales.ts';
import type { ConnectionToCheck } from '../../domain/imports/checked-connection.ts';
import { dayOf, monthOf, type Month } from '../../domain/shared/calendar.ts';
import { toWire } from '../../domain/shared/decimals.ts';
import { invalid, Outage, unavailable } from '../../domain/shared/errors.ts';
import { forMessage } from '../../domain/shared/for-message.ts';
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
import { requestedChange, requestedNumbers } from '../access/revenue-access.ts';
import type { Api } from '../http/api-type.ts';
import type { ApiDependencies, NumberDependencies } from '../http/dependencies.ts';
import { idParams } from '../http/fields.ts';
import { found } from '../http/found.ts';
import { answers, noBody, success } from '../routes/route-schema.ts';
import { closeSignal } from '../http/files/tabular.ts';
import { disconnect } from '../metrics/disconnect.ts';
import {
  connectionOf,
  importBody,
  importCheck,
  importRecord,
  importRunBody,
  importStarted,
} from './import-fields.ts';

const admin = { access: 'admin', feature: 'unit_economics' } as const;
const connects = { ...admin, ownTextRules: ['query', 'credentials', 'api_key'] } as const;

/** A person waits for the check. */
const LONGEST_CHECK_MS = 30_000;

/** `…/metrics/{id}/import`: the daily import of a metric (docs/concepts.md#daily-imports). */
export function importRoutes(app: Api, dependencies: NumberDependencies): void {
  const { warehouse, orchestration, clock, sealer } = dependencies;

  /** Asks the platform. Throws a 503 if it cannot be asked, or does not answer soon. */
  const check = (connection: ConnectionToCheck, reply: FastifyReply) => {
    const tooLong = AbortSignal.timeout(LONGEST_CHECK_MS);
    const signal = AbortSignal.any([closeSignal(reply), tooLong]);
    return dependencies.checkConnection(connection, signal).catch((error: unknown) => {
      if (tooLong.aborted) throw unavailable('the platform did not answer in time; try again later');
      throw error instanceof Outage ? unavailable(error.message) : error;
    });
  };

  const stateOf = async (caller: Caller, metric: Metric): Promise<ImportState> => {
    const states = await importStates(warehouse, caller, [metric]);
    return found('import of metric', metric.id, states.get(metric.id) ?? null);
  };

  const start = async (
    { organisation }: Caller,
    { metric_id, credential_id }: ImportConnection,
    startMonth: Month | null,
    begin: ApiDependencies['orchestration']['startImport'],
  ): Promise<z.infer<typeof importStarted>> => {
    const input = { orgId: organisation.id, metricId: metric_id, startMonth };
    const { runId, workflowId } = await begin(input);
    await openImportRun(warehouse, { ...input, runId, workflowId }, credential_id, clock.now());
    return { run_id: runId, workflow_id: workflowId, status: 'running' };
  };

  app.get(
    '/metrics/:id/import',
    {
      config: admin,
      schema: answers(importRecord, {
        operationId: 'getImport',
        tag: 'Imports',
        summary: 'The daily import of a metric; a credential is never shown',
        params: idParams,
        errors: [404],
      }),
    },
    async (request) => {
      const { metric, vault } = await requestedNumbers(dependencies, request, 'import');
      const caller = callerOf(request);
      const state = await stateOf(caller, metric);
      const { connection } = state;
      const orgId = caller.organisation.id;
      const isUnreadable = await isCredentialUnreadable(warehouse, sealer, orgId, connection);
      return success(toWireImport(state, vault, clock.now(), isUnreadable ? CREDENTIAL_UNREADABLE : null));
    },
  );

  app.put(
    '/metrics/:id/import',
    {
      config: { ...connects, changesNumbers: true },
      schema: answers(importRecord, {
        operationId: 'connectImport',
        tag: 'Imports',
        summary: 'Connect a metric, or replace its credential or query; then the last twelve months are read',
        params: idParams,
        body: importBody,
        errors: [404],
      }),
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { metric, vault } = await requestedChange(dependencies, request);
      const now = clock.now();
      const asked = connectionOf(request.body, metric, now);
      const { problems } = await check(asked, reply);
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
      await start(caller, connection, firstMonth, (input) => orchestration.restartImport(input));
      return success(toWireImport(await stateOf(caller, metric), vault, now));
    },
  );

  app.post(
    '/metrics/:id/import/check',
    {
      config: connects,
      schema: answers(importCheck, {
        operationId: 'checkImport',
        tag: 'Imports',
        summary: 'Check what a connection would import; stores nothing, costs nothing',
        params: idParams,
        body: importBody,
        errors: [404],
      }),
    },
    async (request, reply) => {
      const { metric } = await requestedChange(dependencies, request);
      const { problems, columns, bytesProcessed } = await check(
        connectionOf(request.body, metric, clock.now()),
        reply,
      );
      return success({
        ok: problems.length === 0,
        problems,
        ...(bytesProcessed === undefined ? {} : { bytes_processed: bytesProcessed }),
        ...(columns === undefined ? {} : { columns }),
      });
    },
  );

  app.post(
    '/metrics/:id/import/run',
    {
      config: { ...admin, changesNumbers: true },
      schema: answers(importStarted, {
        operationId: 'runImport',
        tag: 'Imports',
        summary: 'Import now: the running month and the one before, or from a month on',
        params: idParams,
        body: importRunBody,
        errors: [404, 409],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const { metric } = await requestedChange(dependencies, request);
      const now = clock.now();
      const startMonth = request.body?.start_month ?? null;
      const running = monthOf(dayOf(now));
      if (startMonth !== null && startMonth > running)
        throw invalid(`start_month: expected at most ${running}, got ${forMessage(startMonth)}`);
      const { connection } = await stateOf(caller, metric);
      const { id: orgId } = caller.organisation;
      if (startMonth !== null)
        await importFrom(warehouse, orgId, connection, startMonth, changeBy(caller, now));
      const started = start(caller, connection, startMonth, (input) =>
        orchestration.startAfter(
          async () => (await stateOf(caller, metric)).history?.last ?? null,
          () => orchestration.startImport(input),
        ),
      );
      return success(await started);
    },
  );

  app.delete(
    '/metrics/:id/import',
    {
      config: admin,
      schema: answers(importRecord, {
        operationId: 'disconnectImport',
        tag: 'Imports',
        summary: 'Disconnect a metric: its credential is deleted, its values stay and can be edited again',
        body: noBody,
        params: idParams,
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const { metric, vault } = await requestedChange(dependencies, request);
      const state = await stateOf(caller, metric);
      await disconnect(dependencies, caller, metric.id);
      return success(toWireImport(state, vault, clock.now()));
    },
  );
}

/** `vault` is undefined for counts. */
function toWireImport(
  { connection, type, status, paused_reason, history }: ImportState,
  vault: RevenueVault | undefined,
  now: Date,
  problem: string | null = null,
): z.infer<typeof importRecord> {
  const { project_id, location, query, connected_at, first_day } = connection;
  const { last = null, lastCompleted: completed = null } = history ?? {};
  const uncounted = type === 'stripe' && vault !== undefined ? uncountedOf(vault, completed) : undefined;
  return {
    type,
    status,
    paused_reason,
    problem: problem ?? (uncounted === null ? UNCOUNTED_UNREADABLE : null),
    ...(type === 'bigquery' ? { project_id, location, query } : {}),
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
