import { toWire, type DecimalText } from '../../../../domain/shared/decimals.ts';
import { forMessage } from '../../../../domain/shared/text/for-message.ts';
import type { Statements } from '../../../engine/session.ts';
import { nullable } from './google-sql.ts';

// GKE's cost allocation divides the lines of a cluster's machines over namespaces, and labels them with both.

const label = (entries: string, key: string): string =>
  nullable(`(SELECT tag.value FROM UNNEST(${entries}) AS tag WHERE tag.key = '${key}' LIMIT 1)`);

/** What GKE calls capacity that no workload has asked for. */
const IDLE = 'kube:unallocated';

/** Returns the cluster and the namespace of a line in GoogleSQL. Lines without both have neither. Idle capacity has no namespace. */
export function gkeKeys(entries: string): { cluster: string; namespace: string } {
  const [cluster, namespace] = [label(entries, 'goog-k8s-cluster-name'), label(entries, 'k8s-namespace')];
  return {
    cluster: `IF(${namespace} IS NULL, NULL, ${cluster})`,
    namespace: `IF(${cluster} IS NULL OR ${namespace} = '${IDLE}', NULL, ${namespace})`,
  };
}

/** The columns of groups with what the note needs. */
const GKE = { lines: 'gke_lines', cluster: 'gke_cluster', cost: 'gke_cost' } as const;

/** Returns these columns in GoogleSQL, on lines with the column `cluster`. */
export const gkeTotals = (cost: string): Record<string, string> => ({
  [GKE.lines]: 'COUNTIF(cluster IS NOT NULL)',
  [GKE.cluster]: 'MIN(cluster)',
  [GKE.cost]: `CAST(SUM(IF(cluster IS NOT NULL, ${cost}, NULL)) AS STRING)`,
});

/** Returns a note on lines that GKE has labelled, if there are any in the newest billing periods. */
export async function gkeNotes(reader: Statements, areCounted: boolean): Promise<string[]> {
  const [found] = await reader.query<{ lines: string | null; cluster: string; cost: DecimalText }>(
    `SELECT CAST(sum(CAST(${GKE.lines} AS BIGINT)) AS BIGINT) AS lines, min(${GKE.cluster}) AS cluster,
       sum(CAST(${GKE.cost} AS DECIMAL(38,15))) AS cost
     FROM temp.main.table_values WHERE ${GKE.lines} <> '0'`,
  );
  if (found === undefined || found.lines === null) return [];
  const which =
    `${found.lines} lines of the newest billing periods, ${toWire(found.cost)} in all, have the labels of GKE's cost allocation, ` +
    `such as those of cluster ${forMessage(found.cluster)}`;
  return [
    areCounted
      ? `${which}: they are Kubernetes spend of their cluster and namespace`
      : `${which}: they are cloud spend; with options.kubernetes "labels" they are Kubernetes spend of their cluster and namespace`,
  ];
}
