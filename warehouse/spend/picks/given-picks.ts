import { cte } from '../../engine/sql/cte.ts';
import { PICK_KEY } from './pick-key.ts';

/** The picks of a request, `$picks` as JSON, in the form of spend_picks, with their keys. */
export const GIVEN_PICKS = cte({
  name: 'given_picks',
  sql: `WITH given AS (
  SELECT unnest(list) AS pick, generate_subscripts(list, 1) AS position
  FROM (SELECT from_json($picks::JSON, '[{"source":"VARCHAR","cloud":"VARCHAR","account":"VARCHAR","service":"VARCHAR",
    "resource_group":"VARCHAR","tag":{"key":"VARCHAR","value":"VARCHAR"},"cluster":"VARCHAR","namespace":"VARCHAR",
    "workload":"VARCHAR","host":"VARCHAR","repository":"VARCHAR","idle":"BOOLEAN"}]') AS list)),
given_rows AS (
  SELECT $org AS org_id, position, pick.source, pick.cloud, pick.account,
    CASE WHEN pick.resource_group IS NOT NULL THEN 'resource_group'
      WHEN pick.source = 'cloud' AND pick.service IS NOT NULL THEN 'service' END AS split_kind,
    CASE WHEN pick.source = 'cloud' THEN COALESCE(pick.resource_group, pick.service) END AS split_value,
    pick.tag.key AS tag_key, pick.tag.value AS tag_value, pick.cluster, pick.namespace, pick.workload, pick.host,
    CASE WHEN pick.source = 'host' THEN pick.service END AS host_service, pick.repository, COALESCE(pick.idle, false) AS idle
  FROM given)
SELECT *, ${PICK_KEY} AS key FROM given_rows`,
});
