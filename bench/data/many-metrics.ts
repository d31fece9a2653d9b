import { newSecret } from '../../api/access/api-key.ts';
import { newId } from '../../warehouse/engine/sql/ids.ts';
import { createKey } from '../../warehouse/organisations/api-keys.ts';
import { computeSpend } from '../../warehouse/spend/compute-spend.ts';
import { addMetrics, fillOrganisation, NOW, openBench, ORG } from './months-organisation.ts';

/** Prepares a data directory with an organisation of many metrics and its computed months. Returns the secret of a key. */
export async function writeManyMetrics(directory: string, size: { rows: number; metrics: number }) {
  const warehouse = await openBench(directory);
  try {
    await fillOrganisation(warehouse, size.rows);
    const metrics = await addMetrics(warehouse, size.metrics);
    await computeSpend(warehouse, ORG, NOW);
    const id = newId('key');
    const { secret, secretHash } = newSecret(id);
    const key = { id, name: 'Bench', permission: 'read', expires_at: null, secretHash } as const;
    await warehouse.session((session) => createKey(session, ORG, key, NOW));
    return { metrics, secret };
  } finally {
    warehouse.close();
  }
}
