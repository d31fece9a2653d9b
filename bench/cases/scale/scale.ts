import { startScaledOut } from '../../nodes/scaled-out.ts';
import type { Measurement } from '../../measurement.ts';
import { VERSITYGW } from '../../nodes/object-store.ts';
import type { RunOptions } from '../../run-options.ts';
import { say } from '../../say.ts';
import { commits } from './commits.ts';
import { ingests } from './ingests.ts';
import { reads } from './reads.ts';

const CLOCK = '2026-03-20T12:00:00Z';

/**
 * Measures a service of several processes on a DuckLake with Postgres and an object store: reads with up to three APIs, ingests
 * with up to two workers, and what small writes cost as the catalog grows.
 */
export async function scale(options: RunOptions): Promise<Measurement[]> {
  if (VERSITYGW === null) {
    say('scale: SKIPPED, set VERSITYGW to what scripts/fetch-versitygw.sh prints');
    return [];
  }
  const service = await startScaledOut({ CLOCK });
  try {
    return [
      ...(await reads(service, options)),
      ...(await ingests(service, options)),
      // Last, because it makes the snapshots of the catalog older.
      ...(await commits(service, options)),
    ];
  } finally {
    await service.stop();
  }
}
