/** The columns with which each row of a load begins. */
const OF_LOAD = 'org_id VARCHAR, source_id VARCHAR, load_id UUID, billing_period DATE';

/** The rows of loads: what bills, clusters, hosts and AI tools cost by day, and what a load found out about its months. */
export const LOAD_ROWS = [
  // Bills. account is the sub account. split_value is a service or resource group, as split_kind says. split_value and tag_value
  // are collected from the day on which the account has a split or the cloud a tag key (spend_choices). resource_id is kept only if
  // the resource can be part of a cluster or host (docs/design.md#assets-on-bills). resource_name is the bill's own name of it.
  `CREATE TABLE cloud_spend (
    ${OF_LOAD}, day DATE, cloud VARCHAR, account VARCHAR, split_kind VARCHAR, split_value VARCHAR, tag_key VARCHAR,
    tag_value VARCHAR, resource_id VARCHAR, resource_name VARCHAR, zone VARCHAR, cost DECIMAL(38,15))`,
  `CREATE TABLE account_names (${OF_LOAD}, cloud VARCHAR, account VARCHAR, name VARCHAR)`,
  // The days of a bill. inside_day: at least one charge lies inside the day, instead of being spread over it from a longer period.
  `CREATE TABLE bill_days (${OF_LOAD}, day DATE, inside_day BOOLEAN, cost DECIMAL(38,15))`,
  // Services and resource groups of accounts, and tag values of clouds, with the bill's cost: the dearest of each load, whether they
  // are collected or not (bill-values.ts). Tag values have no account.
  `CREATE TABLE bill_values (
    ${OF_LOAD}, cloud VARCHAR, account VARCHAR, split_kind VARCHAR, split_value VARCHAR, tag_key VARCHAR, tag_value VARCHAR,
    cost DECIMAL(38,15))`,
  // What a bill that no run has loaded costs in a month that the load has. billing_period is of the load.
  `CREATE TABLE left_out_bills (${OF_LOAD}, left_out_period DATE, month DATE, row_count BIGINT, amount DECIMAL(38,15))`,
  // What purchases of a commitment cost in a month, or the commitment of amortised usage: then month, account and purchased are
  // NULL.
  `CREATE TABLE load_commitments (
    ${OF_LOAD}, month DATE, cloud VARCHAR, account VARCHAR, commitment VARCHAR, purchased DECIMAL(38,15))`,
  // Clusters. A workload's row has its direct cost. A row of idle capacity (is_idle) has no namespace and no workload. Here and
  // below, is_whole is whether the day had ended when the row was read, and before its file was written.
  `CREATE TABLE kubernetes_spend (
    ${OF_LOAD}, day DATE, cluster VARCHAR, namespace VARCHAR, workload VARCHAR, is_idle BOOLEAN, cost DECIMAL(38,15),
    is_whole BOOLEAN)`,
  // kind is node, disk, load_balancer or management. project is the cloud project, if the feed knows it.
  `CREATE TABLE cluster_assets (
    ${OF_LOAD}, day DATE, cluster VARCHAR, kind VARCHAR, provider_id VARCHAR, project VARCHAR, cost DECIMAL(38,15),
    is_whole BOOLEAN)`,
  // Hosts. service is NULL for the host's idle share. machine_id is the id of the host on a bill.
  `CREATE TABLE host_spend (
    ${OF_LOAD}, day DATE, host VARCHAR, service VARCHAR, machine_id VARCHAR, cost DECIMAL(38,15), is_whole BOOLEAN)`,
  // AI coding tools.
  `CREATE TABLE ai_tool_spend (${OF_LOAD}, day DATE, tool VARCHAR, kind VARCHAR, cost DECIMAL(38,15), is_whole BOOLEAN)`,
  // repository is NULL for usage without a repository.
  `CREATE TABLE ai_usage (${OF_LOAD}, day DATE, tool VARCHAR, repository VARCHAR, usage DECIMAL(38,6))`,
  // The days of accounts, clusters, hosts and tools. Bit n of days is set if the unit has rows of day n + 1 of the billing period's
  // month. Bit n of spend_days is set if these rows cost something (unit-days.ts). cost is that of the days.
  `CREATE TABLE load_units (${OF_LOAD}, kind VARCHAR, unit VARCHAR, days BIGINT, spend_days BIGINT, cost DECIMAL(38,15))`,
  // What a load found to be doubtful about a month (doubts.ts). phrase continues the sentence that names the source. unit is the
  // account, cluster, host or tool; NULL for the whole source.
  `CREATE TABLE load_doubts (${OF_LOAD}, month DATE, code VARCHAR, unit VARCHAR, phrase VARCHAR, amount DECIMAL(38,15))`,
  // What load_doubts says of rejected rows, by day, so that a day that a later load keeps also keeps its rejected rows. day is NULL
  // if it could not be read, and in bills, which keep no days. is_dated is false if the month could not be read either. amount is
  // NULL unless all costs could be read.
  `CREATE TABLE rejected_days (
    ${OF_LOAD}, month DATE, day DATE, feed VARCHAR, is_dated BOOLEAN, row_count BIGINT, sample VARCHAR, amount DECIMAL(38,15))`,
];
