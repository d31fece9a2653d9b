/** The columns with which each row of a computation begins. */
const OF_COMPUTATION = 'org_id VARCHAR, month DATE, computation_id UUID';

/**
 * The computed spend of months: all loads together, every dollar once (docs/concepts.md#every-dollar-counts-once). Rows belong to
 * a computation of their month; the newest one counts.
 */
export const SPEND = [
  // made_of are the inputs of a computation (stale-months.ts).
  `CREATE TABLE month_computations (${OF_COMPUTATION}, made_of VARCHAR, computed_at TIMESTAMP)`,
  `CREATE VIEW current_computations AS
    SELECT * FROM month_computations
    QUALIFY row_number() OVER (PARTITION BY org_id, month ORDER BY computation_id DESC) = 1`,
  // The loads that a computation read. Later reads of the bill lines use the same loads.
  `CREATE TABLE computed_loads (${OF_COMPUTATION}, load_id UUID, billing_period DATE)`,
  // Bill lines of this resource on this day are spend of the cluster or host.
  `CREATE TABLE covered_resources (
    ${OF_COMPUTATION}, day DATE, cloud VARCHAR, account VARCHAR, resource_id VARCHAR, cluster VARCHAR, host VARCHAR)`,
  // All counted spend that is no bill line. Together with the lines it adds up to the total, every dollar once.
  `CREATE TABLE distributed_spend (
    ${OF_COMPUTATION}, day DATE, source VARCHAR, cluster VARCHAR, namespace VARCHAR, workload VARCHAR, host VARCHAR,
    host_service VARCHAR, tool VARCHAR, repository VARCHAR, cost DECIMAL(38,15))`,
  // The total by day, source and the account of the bill, if any.
  `CREATE TABLE daily_totals (${OF_COMPUTATION}, day DATE, source VARCHAR, cloud VARCHAR, account VARCHAR, cost DECIMAL(38,15))`,
  // The spend of the month so far, by everything that can be picked. Each row has its keys (pick-key.ts).
  `CREATE TABLE month_spend (${OF_COMPUTATION}, keys VARCHAR[], cost DECIMAL(38,15))`,
  // The cost of a scope in a computed month. scope_id identifies the scope's text, which several metrics may share.
  `CREATE TABLE scope_costs (
    org_id VARCHAR, scope_id VARCHAR, month DATE, computation_id UUID, cost DECIMAL(38,15))`,
  // The cost of a scope on a day of a computed month. Each known month has a row of cost 0 on its first day.
  `CREATE TABLE scope_day_costs (
    org_id VARCHAR, scope_id VARCHAR, month DATE, computation_id UUID, day DATE, cost DECIMAL(38,15))`,
  // Spend that teams and shared costs own on a day, by all their picks (definitions_id). Known months have a 0 of 'nobody'.
  `CREATE TABLE owner_day_costs (
    ${OF_COMPUTATION}, definitions_id VARCHAR, day DATE, user_type VARCHAR, user_id VARCHAR, owned_source VARCHAR,
    cost DECIMAL(38,15))`,
  // What was decided about assets of clusters and hosts. reason is followed (assets without a line of their own followed their
  // cluster), borrowed (the cluster's nearest known assets decided: those of asset_day, NULL if none are known; assets identifies
  // them) or ambiguous (machines in several places have the same name). lender_is_on_bill is whether the cluster was on a bill on
  // asset_day, for borrowed assets.
  `CREATE TABLE asset_decisions (
    ${OF_COMPUTATION}, reason VARCHAR, day DATE, cluster VARCHAR, host VARCHAR, is_on_bill BOOLEAN, asset_day DATE,
    assets VARCHAR, lender_is_on_bill BOOLEAN, name VARCHAR, places VARCHAR, cost DECIMAL(38,15))`,
  // Days on which a bill has nodes or disks that the cluster reported on the same day.
  `CREATE TABLE billed_clusters (${OF_COMPUTATION}, day DATE, cluster VARCHAR)`,
  // The days on which rows of a unit do not count, because it has ended and another source has spend of it.
  `CREATE TABLE left_out_days (${OF_COMPUTATION}, source_id VARCHAR, unit VARCHAR, day DATE)`,
  // What a computation found to be doubtful, like load_doubts. other_source_id has the same charges (charges_twice); NULL if they
  // stand in two files of one source.
  `CREATE TABLE month_doubts (
    ${OF_COMPUTATION}, source_id VARCHAR, other_source_id VARCHAR, code VARCHAR, unit VARCHAR, phrase VARCHAR,
    amount DECIMAL(38,15))`,
  // What is collected from bills: one tag key for each cloud (account '') and one split for each account, from first_day on.
  // unused_since is the day since which nothing uses the choice, whose values stay for a while (spend-choices.ts).
  `CREATE TABLE spend_choice_versions (
    org_id VARCHAR, kind VARCHAR, cloud VARCHAR, account VARCHAR, version_id UUID, choice VARCHAR, first_day DATE,
    unused_since DATE, changed_at TIMESTAMP)`,
  `CREATE VIEW spend_choices AS
    SELECT * FROM spend_choice_versions
    QUALIFY row_number() OVER (PARTITION BY org_id, kind, cloud, account ORDER BY version_id DESC) = 1`,
];
