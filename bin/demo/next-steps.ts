import type { Day } from '../../domain/shared/calendar.ts';
import type { MonthOnWire } from './lock-months.ts';
import { step } from './step.ts';

/** Commands that a user can paste to go on, in the order in which they tell the story of a month. */
export const nextSteps = (demo: {
  url: string;
  adminKey: string;
  metricId: string;
  /** A metric whose values have labels. */
  labelledMetricId: string | undefined;
  months: readonly MonthOnWire[];
  /** The last day that has a value. */
  through: Day;
}): string[] => {
  const { url, adminKey, metricId, labelledMetricId, months, through } = demo;
  const metric = `"$API/metrics/${metricId}`;
  const first = (...statuses: MonthOnWire['status'][]): MonthOnWire | undefined =>
    months.find(({ status }) => statuses.includes(status));
  const ready = first('ready_to_lock');
  const changed = first('changed_since_lock');
  const versioned = months.find(({ version }) => version !== null && version > 1);
  const range = `start_date=${through.slice(0, 7)}-01&end_date=${through}`;
  return [
    `  API=${url}/api/v1 KEY=${adminKey}`,
    ...step(
      'spend of a range of days: by source, by day and by account, each dollar once',
      `curl -s -H "X-API-Key: $KEY" "$API/costs?${range}"`,
    ),
    ...step(
      'the clusters by namespace; what is idle has no namespace',
      `curl -s -H "X-API-Key: $KEY" "$API/costs/breakdown?${range}&group_by=cluster,namespace"`,
    ),
    ...step('the months of Orders', `curl -s -H "X-API-Key: $KEY" ${metric}/months"`),
    ...(labelledMetricId === undefined
      ? []
      : step(
          'the months of Open stores, and each region in them',
          `curl -s -H "X-API-Key: $KEY" "$API/metrics/${labelledMetricId}/months?by=label"`,
        )),
    ...step(
      'send a value; the same period again replaces it',
      `curl -s -H "X-API-Key: $KEY" -H "Content-Type: application/json" -d '{"values":[{"period":"${through}","value":5000}]}' ${metric}/values"`,
    ),
    ...(ready === undefined
      ? []
      : step(
          `lock ${ready.month}, which has settled`,
          `curl -s -X POST -H "X-API-Key: $KEY" ${metric}/months/${ready.month}/lock"`,
        )),
    ...(changed === undefined
      ? []
      : step(
          `lock ${changed.month} again: a value changed since`,
          `curl -s -X POST -H "X-API-Key: $KEY" ${metric}/months/${changed.month}/lock"`,
        )),
    ...(versioned === undefined
      ? []
      : step(
          `both versions of ${versioned.month}`,
          `curl -s -H "X-API-Key: $KEY" ${metric}/months/${versioned.month}/versions"`,
        )),
    ...step(
      'who changed which value, and what it was before',
      `curl -s -H "X-API-Key: $KEY" ${metric}/history?limit=5"`,
    ),
  ];
};
