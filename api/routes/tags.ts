/** Groups of routes in the OpenAPI document, in the order of its pages. The operator's routes come last. */
const DESCRIPTIONS = {
  Health: 'The state of the service, and whose key a request has.',
  Session: 'Sign-in of a page in a browser, with a cookie instead of a key.',
  Organisation: 'The organisation of the key.',
  Keys: 'API keys of the organisation.',
  'Cost sources': 'Where spend is read from, the runs that read it, and the units that it covers.',
  Costs: 'Spend by day and by any key, and what can be picked.',
  Metrics: 'Business metrics, their unit costs at a glance, and what waits for someone.',
  Values: 'The values of a metric: sent, entered by hand, or from a CSV file.',
  Months: 'Months of a metric: cost, value, unit cost, and locked versions.',
  Imports: 'The daily import of a metric from BigQuery or Stripe.',
  Teams: 'Teams, what they own, shared costs, and bills.',
  Webhooks: 'Where events are sent, and what was delivered.',
  Export: 'Rows as files for a data warehouse.',
  Audit: 'Who did what.',
  Operator: 'Administration of the service, with the operator’s key.',
} as const;

/** The name of a group of routes. */
export type Tag = keyof typeof DESCRIPTIONS;

/** The groups of routes, as the OpenAPI document lists them. */
export const TAGS = Object.entries(DESCRIPTIONS).map(([name, description]) => ({ name, description }));
