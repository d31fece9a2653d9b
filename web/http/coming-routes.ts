import createClient from 'openapi-fetch';
import { OWN_REQUEST } from './api.ts';

/** Credentials as reads show them. */
export interface ShownCredentials {
  type: string;
  hint: string;
  set_at: string;
}

/** What a look at a source that is not connected yet found. What is not known is null or empty. */
export interface FoundAtSource {
  files: number | null;
  files_not_read: number | null;
  bytes: number | null;
  format: string | null;
  months: string[];
  first_day: string | null;
  last_day: string | null;
  currency: string | null;
  accounts: string[];
  units: string[];
  rows_estimate: number | null;
  unchanged_by_run: number | null;
  clusters_matched: { nodes: number; on_bill: number } | null;
  clusters: { cluster: string; nodes: number; on_bill: number }[];
}

export interface SourceCheck {
  ok: boolean;
  problems: string[];
  warnings: string[];
  found: FoundAtSource;
}

interface Sends<Body, Data, Path extends object | undefined = undefined> {
  parameters: Path extends undefined ? object : { path: Path };
  requestBody: { content: { 'application/json': Body } };
  responses: { 200: { content: { 'application/json': { success: true; data: Data } } } };
}

interface Deletes<Data, Path extends object> {
  parameters: { path: Path };
  responses: { 200: { content: { 'application/json': { success: true; data: Data } } } };
}

/** Routes of the contract that the OpenAPI document does not have yet. */
interface ComingPaths {
  '/api/v1/cost-sources/check': { post: Sends<object, SourceCheck> };
  '/api/v1/cost-sources/{id}/credentials': {
    put: Sends<object, unknown, { id: string }>;
    delete: Deletes<unknown, { id: string }>;
  };
}

/** The API, with the types of routes that the OpenAPI document does not have yet. */
export const comingApi = createClient<ComingPaths, 'application/json'>({
  headers: OWN_REQUEST,
  credentials: 'same-origin',
});
