import type { Api } from './api-client.ts';
import { expectData } from './envelope.ts';

/** Creates something with POST, and returns its id. */
export const create = async (api: Api, path: string, body: object): Promise<string> =>
  expectData(await api.post<{ id: string }>(path, body)).id;

/** A metric of the whole organisation, with a total for each day. */
export const ORDERS = {
  name: 'Orders',
  unit: 'order',
  aggregation: 'total',
  frequency: 'daily',
  scope: { type: 'organisation' },
};

/** Revenue of the whole organisation, by day. */
export const SALES = { ...ORDERS, name: 'Sales', unit: 'USD', kind: 'revenue', currency: 'USD' };

/** Creates a metric that differs from {@link ORDERS} in `changes`, with some values. Returns its id. */
export async function createMetric(
  api: Api,
  changes: object = {},
  values: readonly object[] = [],
): Promise<string> {
  const id = await create(api, '/metrics', { ...ORDERS, ...changes });
  if (values.length > 0) expectData(await api.post(`/metrics/${id}/values`, { values }));
  return id;
}
