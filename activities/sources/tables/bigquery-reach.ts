import type { ServiceAccountKey } from '../../../domain/shared/service-account-key.ts';

/** How a source's tables are reached. */
export interface BigQueryReach {
  /** The setting BIGQUERY_API_ENDPOINT. */
  apiEndpoint: string | undefined;
  /** The service account of the source; null without credentials. */
  key: ServiceAccountKey | null;
}
