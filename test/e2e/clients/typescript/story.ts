import { bodyOf, connect, dataOf, items, Refusal } from 'cost-analytics-client';

const client = connect(process.env['COST_ANALYTICS_URL'] ?? '', process.env['COST_ANALYTICS_KEY'] ?? '');

const newMetric = (name: string) =>
  dataOf(
    client.POST('/api/v1/metrics', {
      body: {
        name,
        unit: 'unit',
        aggregation: 'total',
        frequency: 'monthly',
        scope: { type: 'organisation' },
      },
    }),
  );

const { id } = await newMetric('Orders');
await newMetric('Visits');
const path = { id };
const stored = await dataOf(
  client.POST('/api/v1/metrics/{id}/values', {
    params: { path },
    body: { values: [{ period: '2026-01', value: 90.25 }] },
  }),
);
const months = await dataOf(client.GET('/api/v1/metrics/{id}/months', { params: { path } }));

const names: string[] = [];
const read = (page: { cursor?: string }) =>
  client.GET('/api/v1/metrics', { params: { query: { limit: 1, ...page } } });
for await (const { name } of items(read)) names.push(name);

// The same rows as JSON and as a file.
const query = { start_date: '2026-01-01', end_date: '2026-01-31' };
const { total } = await dataOf(client.GET('/api/v1/costs', { params: { query } }));
const csv: string = await bodyOf(
  client.GET('/api/v1/costs', { params: { query }, headers: { Accept: 'text/csv' }, parseAs: 'text' }),
);
if (total !== 0 || csv !== 'day,source,cloud,account,account_name,total\r\n')
  throw new Error(`expected a total of 0 and no rows, got ${total} and ${csv}`);

const refused: unknown = await dataOf(
  client.GET('/api/v1/metrics/{id}', { params: { path: { id: 'met_0' } } }),
).catch((error: unknown) => error);
process.stdout.write(
  JSON.stringify({
    created: stored.created,
    january: months.find(({ month }) => month === '2026-01')?.value,
    names,
    error: refused instanceof Refusal ? refused.message : refused,
  }),
);
