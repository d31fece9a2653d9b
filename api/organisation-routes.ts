import { webhookRoutes } from './events/webhooks.ts';
import { exportRoutes } from './exports/exports.ts';
import { importRoutes } from './imports/imports.ts';
import { metricValueRoutes } from './metrics/metric-values.ts';
import { metricRoutes } from './metrics/metrics.ts';
import { valueUploadRoutes } from './metrics/value-upload.ts';
import { handValueRoutes } from './metrics/values-by-hand.ts';
import { monthRoutes } from './months/months.ts';
import { healthRoutes } from './operations/health.ts';
import { auditLogRoutes } from './organisations/audit-log.ts';
import { keyRoutes } from './organisations/keys.ts';
import { organisationRoutes } from './organisations/organisation.ts';
import { overviewRoutes } from './overview/overview.ts';
import { waitingRoutes } from './overview/waiting.ts';
import { costSourceUnitRoutes } from './sources/cost-source-units.ts';
import { costSourceRoutes } from './sources/cost-sources.ts';
import { costRoutes } from './spend/costs.ts';
import { spendOptionRoutes } from './spend/spend-options.ts';
import { allBillRoutes } from './teams/all-bills.ts';
import { sharedCostRoutes } from './teams/shared-costs.ts';
import { teamBillRoutes } from './teams/team-bills.ts';
import { teamRoutes } from './teams/teams.ts';

/** The routes of organisations, as the OpenAPI document lists them. */
export const ORGANISATION_ROUTES = [
  ...healthRoutes,
  ...organisationRoutes,
  ...keyRoutes,
  ...costSourceRoutes,
  ...costSourceUnitRoutes,
  ...costRoutes,
  ...spendOptionRoutes,
  ...metricRoutes,
  ...metricValueRoutes,
  ...handValueRoutes,
  ...valueUploadRoutes,
  ...monthRoutes,
  ...importRoutes,
  ...overviewRoutes,
  ...waitingRoutes,
  ...teamRoutes,
  ...teamBillRoutes,
  ...allBillRoutes,
  ...sharedCostRoutes,
  ...webhookRoutes,
  ...exportRoutes,
  ...auditLogRoutes,
];
