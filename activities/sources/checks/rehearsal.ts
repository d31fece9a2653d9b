import { join } from 'node:path';
import { OPERATOR } from '../../../domain/organisations/actor.ts';
import { IN_MEMORY } from '../../../warehouse/engine/opening/attach.ts';
import type { Session } from '../../../warehouse/engine/session.ts';
import { Warehouse, type WarehouseSettings } from '../../../warehouse/engine/warehouse.ts';
import { createOrganisation, type Organisation } from '../../../warehouse/organisations/organisations.ts';
import {
  createCostSource,
  type CostSource,
  type NewCostSource,
} from '../../../warehouse/sources/cost-sources.ts';

/** What is rehearsed. */
export interface ToRehearse {
  organisation: Organisation;
  source: NewCostSource;
  now: Date;
}

/** The memory of a rehearsal's warehouse, which has a bill by day, account and resource. */
const MEMORY = '512MB';

/**
 * Runs `work` with a warehouse in memory that has only the organisation and the source. So an ingest can be rehearsed with
 * everything that it does, and stores nothing.
 *
 * @param folder one that nobody else uses.
 */
export async function withRehearsal<Result>(
  settings: WarehouseSettings,
  folder: string,
  { organisation, source, now }: ToRehearse,
  work: (session: Session, source: CostSource) => Promise<Result>,
): Promise<Result> {
  const rehearsal = await Warehouse.open({
    ...settings,
    location: IN_MEMORY,
    dataPath: null,
    spillDirectory: join(folder, 'rehearsal'),
    memoryLimit: MEMORY,
    threads: 1,
    cacheBytes: 0,
  });
  try {
    const { id, ...others } = organisation;
    await rehearsal.session((session) => createOrganisation(session, others, now, id));
    const stored = await createCostSource(rehearsal, id, source, { actor: OPERATOR, now });
    return await rehearsal.ownSession((session) => work(session, stored));
  } finally {
    rehearsal.close();
  }
}
