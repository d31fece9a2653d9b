import type { Migration } from './migration.ts';

/** The cluster and the namespace of a bill line, where the bill itself tells them (GKE's cost allocation). NULL in all other lines. */
export const CLUSTERS_OF_BILL_LINES: Migration = {
  version: 38,
  name: 'the clusters and namespaces that bill lines name',
  statements: [
    'ALTER TABLE cloud_spend ADD COLUMN cluster VARCHAR',
    // NULL with a cluster: capacity of the cluster that no namespace has asked for.
    'ALTER TABLE cloud_spend ADD COLUMN namespace VARCHAR',
  ],
};
