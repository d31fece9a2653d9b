import type { Migration } from './migration.ts';

/** Usage that programs send by OpenTelemetry, and where the usage of a load comes from. */
export const USAGE_POINTS: Migration = {
  version: 38,
  name: 'points of usage that programs send',
  statements: [
    // A point of a series: the value since start_ns (is_cumulative), or between start_ns and time_ns. Both are nanoseconds since
    // 1970. series is a hash of what tells the series apart. counts is cost or tokens. repository is NULL for usage without one.
    // is_sum: the row is the sum of points that no later point can change (usage-points.ts).
    `CREATE TABLE usage_points (
      org_id VARCHAR, source_id VARCHAR, point_id UUID, series VARCHAR, is_cumulative BOOLEAN, start_ns BIGINT, time_ns BIGINT,
      day DATE, tool VARCHAR, counts VARCHAR, repository VARCHAR, value DECIMAL(38,12), is_sum BOOLEAN)`,
    // points: sent by programs; vendor: counted by the tool's vendor; NULL: from files.
    `ALTER TABLE ai_usage ADD COLUMN origin VARCHAR`,
  ],
};
