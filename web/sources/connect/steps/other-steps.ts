import type { Steps } from './step.ts';

/** FOCUS files of another vendor. */
export const focusFilesSteps: Steps = () => [
  {
    title: 'Export the bill as FOCUS',
    text: 'Oracle Cloud, Alibaba Cloud, IBM Cloud, Databricks, Grafana Cloud and others write FOCUS files. Copy them to a bucket of yours daily, or to a folder that the service reads, as CSV, gzipped CSV or Parquet.',
  },
];

/** Any table of costs. */
export const columnsSteps: Steps = () => [
  {
    title: 'Export a table with a row for each day',
    text: 'It needs a column with the day and one with the cost. Columns with the account, the service and the resource make it useful for teams and metrics. Datadog, Snowflake, MongoDB Atlas, OpenAI and the invoice of a colocation come this way.',
    code: 'date,project,product,amount\n2026-01-01,search,Compute,12.50\n2026-01-01,shop,Storage,3.20',
    codeName: 'the example',
  },
];

/** The API of OpenCost or Kubecost. */
export const openCostSteps: Steps = () => [
  {
    title: 'Let the service reach OpenCost',
    text: 'The location is the base URL of the API of OpenCost, or of Kubecost with /model at its end. If it is in a private network, the operator of this service allows its host in the setting PRIVATE_TARGETS.',
    code: 'curl "https://opencost.example.com/allocation?window=1d&aggregate=cluster"',
    codeName: 'the command that tries it',
  },
];

/** Exports of OpenCost. */
export const openCostFilesSteps: Steps = () => [
  {
    title: 'Export allocations by day',
    text: 'The file has a row for each container and day. It names no cluster, so that you name it below.',
    code: 'Date,Namespace,ControllerKind,ControllerName,TotalCost\n2026-01-01,shop,Deployment,api,12.50',
    codeName: 'the example',
  },
];

/** Costs of hosts. */
export const hostsSteps: Steps = () => [
  {
    title: 'Write a file with a row for each day, host and service',
    text: 'A service that is empty or __idle__ is the idle share of the host. machine_id is optional. It is the id under which a cloud bill has the host.',
    code: 'day,host,service,cost,machine_id\n2026-01-01,db-1,postgres,4.20,\n2026-01-01,db-1,,1.80,',
    codeName: 'the example',
  },
];

/** Spend and usage of AI coding tools in files. */
export const aiFilesSteps: Steps = () => [
  {
    title: 'Write a file with the spend by day and tool',
    text: 'The cost has usage and seats together.',
    code: 'day,tool,cost\n2026-01-01,copilot,38.00',
    codeName: 'the example of spend',
  },
  {
    title: 'Write a file with the usage by repository',
    text: 'Usage is in any one unit of the tool, such as tokens or requests. The spend of a day is divided by it.',
    code: 'day,tool,repository,usage\n2026-01-01,copilot,github.com/acme/web,1200',
    codeName: 'the example of usage',
  },
];

/** What GitHub bills for Copilot. */
export const gitHubSteps: Steps = () => [
  {
    title: 'Create a token that may only read the bill',
    text:
      'For an organisation: an owner of it creates a fine-grained personal access token with the organisation as its resource owner, and the organisation permission Administration, read-only. ' +
      'For an enterprise: fine-grained tokens do not work; an owner or billing manager of the enterprise creates a classic token.',
  },
];

/** What Anthropic bills for Claude. */
export const anthropicSteps: Steps = () => [
  {
    title: 'Create an Admin API key',
    text: 'In the Claude Console, an admin of the organisation opens Settings and Admin keys, and creates a key (sk-ant-admin…). Keys of workspaces do not read costs, and accounts of a single person have no Admin API.',
  },
];

/** What Cursor bills. */
export const cursorSteps: Steps = () => [
  {
    title: 'Create a key of the team',
    text: 'In the dashboard of Cursor, an admin of the team opens the team API keys and creates a key with the scope Read-only. Keys of users do not read the spend of the team.',
  },
];
