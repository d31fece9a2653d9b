import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { pino } from 'pino';
import { createIngestActivities } from '../../../activities/ingest-costs.ts';
import { createSettlementActivities } from '../../../activities/settle-months.ts';
import { fixedClock } from '../../../domain/shared/clock.ts';
import { runIdOf } from '../../../domain/sources/ingest.ts';
import { NO_BUCKETS } from '../../../domain/sources/exports/object-storage.ts';
import { parsePrivateTargets } from '../../../egress/requests/private-targets.ts';
import { Sealer } from '../../../security/sealing.ts';
import { Metrics } from '../../../telemetry/metrics.ts';
import type { NewCostSource } from '../../../warehouse/sources/cost-sources.ts';
import { ingestRuns, type IngestRun } from '../../../warehouse/sources/ingest-runs.ts';
import { writeSources, type ExportedSource } from '../exports/exported-source.ts';
import type { TestWarehouse } from '../warehouse/engines.ts';
import { newSource, NOW } from '../warehouse/tenant.ts';

/** Writes the files of sources, makes the sources, and returns the run of each. */
export async function ingestExports(
  { warehouse, directory }: Pick<TestWarehouse, 'warehouse' | 'directory'>,
  orgId: string,
  sources: readonly ExportedSource[],
): Promise<(IngestRun | null)[]> {
  const runs = [];
  for (const source of await writeSources(join(directory, orgId), sources)) {
    const { id: sourceId } = await newSource(warehouse, orgId, source as Partial<NewCostSource>);
    runs.push(await ingestLocally({ warehouse, directory }, { orgId, sourceId }));
  }
  return runs;
}

/** Takes the steps of an ingest workflow in this process. Returns the run, or throws what a step throws. */
export async function ingestLocally(
  { warehouse, directory }: Pick<TestWarehouse, 'warehouse' | 'directory'>,
  source: { orgId: string; sourceId: string },
): Promise<IngestRun | null> {
  const clock = fixedClock(NOW);
  const steps = {
    ...createSettlementActivities({ warehouse, clock }),
    ...createIngestActivities({
      warehouse,
      clock,
      sealer: new Sealer(Buffer.alloc(32)),
      sourceRulesOf: () => ({ roots: [directory], privateTargets: parsePrivateTargets('') }),
      openRemoteFiles: () => Promise.reject(new Error('the source is not on this machine')),
      operatorBuckets: { ...NO_BUCKETS, sts: null },
      metrics: new Metrics(),
      log: pino({ level: 'silent' }),
    }),
  };
  const run = {
    ...source,
    startMonth: null,
    endMonth: null,
    runId: runIdOf(randomUUID()),
    workflowId: `ingest/${source.orgId}/${source.sourceId}`,
  };
  await new MockActivityEnvironment().run(async () => {
    await steps.openRun(run);
    const { months } = await steps.loadExport(run);
    await steps.settleOrganisation(run.orgId);
    await steps.sealTeamBills(run.orgId);
    await steps.completeRun(run, months);
  });
  return ingestRuns.find(warehouse, run.orgId, run.runId);
}
