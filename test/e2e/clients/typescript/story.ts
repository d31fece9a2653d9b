import createClient from 'openapi-fetch';
import type { paths } from './client.d.ts';

const client = createClient<paths>({
  baseUrl: process.env['COST_ANALYTICS_URL'] ?? '',
  headers: { 'X-API-Key': process.env['COST_ANALYTICS_KEY'] ?? '' },
});

const given = <Body>({ data, error }: { data?: Body; error?: { error: string } }): Body => {
  if (data === undefined) throw new Error(error?.error);
  return data;
};

const newMetric = async (name: string): Promise<string> => {
  const created = await client.POST('/api/v1/metrics', {
    body: {
      ...{ name, unit: 'unit', aggregation: 'total', frequency: 'monthly' },
      scope: { type: 'organisation' },
    },
  });
  return given(created).data.id;
};

const id = await newMetric('Orders');
await newMetric('Visits');
const stored = await client.POST('/api/v1/metrics/{id}/values', {
  params: { path: { id } },
  body: { values: [{ period: '2026-01', value: 90.25 }] },
});
const months = given(await client.GET('/api/v1/metrics/{id}/months', { params: { path: { id } } })).data;

const names: string[] = [];
let cursor: string | null | undefined;
do {
  const query = { limit: 1, ...(cursor ? { cursor } : {}) };
  const page = given(await client.GET('/api/v1/metrics', { params: { query } }));
  names.push(...page.data.map(({ name }) => name));
  cursor = page.next_cursor;
} while (cursor !== null);

const refused = await client.GET('/api/v1/metrics/{id}', { params: { path: { id: 'met_0' } } });
process.stdout.write(
  JSON.stringify({
    created: given(stored).data.created,
    january: months.find(({ month }) => month === '2026-01')?.value,
    names,
    error: refused.error?.error,
  }),
);
