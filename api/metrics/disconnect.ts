import { disconnectImport } from '../../warehouse/imports/imports.ts';
import { changeBy, type Caller } from '../access/authentication.ts';
import type { ApiDependencies } from '../http/dependencies.ts';

/**
 * Ends the import of a metric, if it has one: its credential is deleted, its schedule removed, and a running import ended. Its
 * values stay (docs/concepts.md#daily-imports).
 */
export async function disconnect(
  { warehouse, orchestration, clock }: Pick<ApiDependencies, 'warehouse' | 'orchestration' | 'clock'>,
  caller: Caller,
  metricId: string,
): Promise<void> {
  const orgId = caller.organisation.id;
  // The credential goes first: a schedule or a running import cannot read anything without it.
  if (!(await disconnectImport(warehouse, orgId, metricId, changeBy(caller, clock.now())))) return;
  await orchestration.unscheduleImport({ orgId, metricId });
}
