import { beforeAll, expect, it } from 'vitest';
import { startLocalApi } from '../../../support/service/local-api.ts';
import { withOpened } from '../../../support/with-opened.ts';

const api = withOpened(startLocalApi);
let secret: string;

beforeAll(async () => {
  ({ secret } = await api.newTenant());
});

const MONTHS = 'start=2026-01&end=2026-02';
const DAYS = 'start_date=2026-01-01&end_date=2026-01-31';
const TYPES = {
  csv: 'text/csv',
  arrows: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
};

/** Returns the status of an answer, and what browsers do with it. */
async function answerTo(path: string, accept: string) {
  const answer = await fetch(`${api.url}/api/v1${path}`, { headers: { 'x-api-key': secret, accept } });
  await answer.arrayBuffer();
  return [answer.status, answer.headers.get('content-disposition')];
}

it.each([
  [`/export/spend?${MONTHS}`, 'spend-2026-01-to-2026-02'],
  [`/export/months?${MONTHS}`, 'months-2026-01-to-2026-02'],
  [`/costs?${DAYS}`, 'costs-by-day-source-cloud-account-2026-01-01-to-2026-01-31'],
  [`/costs/breakdown?${DAYS}&group_by=day,service`, 'costs-by-day-service-2026-01-01-to-2026-01-31'],
  [`/costs/breakdown?${DAYS}&group_by=day&limit=1`, 'costs-by-day-2026-01-01-to-2026-01-31'],
])('each file of %s has a name', async (path, name) => {
  for (const [ending, type] of Object.entries(TYPES))
    expect(await answerTo(path, type)).toEqual([200, `attachment; filename="${name}.${ending}"`]);
});

it('JSON and errors have none', async () => {
  expect(await answerTo(`/costs?${DAYS}`, 'application/json')).toEqual([200, null]);
  expect(await answerTo('/export/spend?start=2026-02&end=2026-01', TYPES.csv)).toEqual([400, null]);
});
