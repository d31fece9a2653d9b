import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { create, createMetric } from '../support/service/create.ts';
import { ingest, newOrganisation, operatorKeyOf, type Api } from '../support/service/api-client.ts';
import { expectData } from '../support/service/envelope.ts';
import { dayLine, focusCsv } from '../support/exports/focus-export.ts';
import { openRaw } from '../support/service/local-api.ts';
import { sharedService, type SharedService } from '../support/service/shared-service.ts';
import { someOf } from '../support/effort.ts';
import { HOSTILE_REQUESTS, type Attacker } from './hostile-requests.ts';
import { HOSTILE_UPLOADS } from './hostile-uploads.ts';

/**
 * Every hostile input gets the status that is listed with it, and a body that is exactly the envelope. What another organisation
 * sees does not change. The inputs are in `hostile-requests.ts` and `hostile-uploads.ts`.
 */

let service: SharedService;
let attacker: Attacker;
let bystander: Api;
let before: unknown;

/** Returns what the other organisation sees. */
async function seen(): Promise<unknown> {
  const costs = await bystander.get('/costs?start_date=2026-01-01&end_date=2026-01-31');
  const { organisation, key } = expectData(
    await bystander.get<{ organisation: unknown; key: unknown }>('/auth/info'),
  );
  return { costs: expectData(costs), organisation, key };
}

beforeAll(async () => {
  service = await sharedService();
  const { secret, admin } = await newOrganisation(service, { name: 'Attacker' });
  const metricId = await createMetric(admin);
  attacker = { key: secret, operatorKey: await operatorKeyOf(service), metricId };
  const other = await newOrganisation(service, { name: 'Bystander' });
  bystander = other.admin;
  const location = join(service.exportsDir, 'bill.csv');
  await writeFile(location, focusCsv([dayLine('2026-01-05', '1'), dayLine('2026-01-31', '2')]));
  const source = { name: 'Bill', kind: 'focus', location };
  const id = await create(bystander, '/cost-sources', source);
  await ingest(bystander, id);
  before = await seen();
});

/** Splits an answer. The answer to a HEAD has no body. */
function parts(answer: string) {
  const end = answer.indexOf('\r\n\r\n');
  const head = answer.slice(0, end);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]),
    isJson: /^content-type: application\/json/im.test(head),
    body: answer.slice(end + 4),
  };
}

const ERROR = expect.stringMatching(/^\{"success":false,"error":"([^"\\]|\\.)+"\}$/) as string;
const SUCCESS = expect.stringMatching(/^\{"success":true,"data":\{.*\}\}$/) as string;

describe('hostile requests', () => {
  it('get the expected status and envelope, and change nothing for another organisation', async () => {
    const port = Number(new URL(service.url).port);
    const answers = [];
    for (const { name, bytes } of HOSTILE_REQUESTS) {
      const answer = parts(await openRaw(port, bytes(attacker)).answer);
      answers.push({ name, ...answer });
    }
    const expected = HOSTILE_REQUESTS.map(({ name, status }) => {
      const body = name.startsWith('HEAD') ? '' : status === 200 ? SUCCESS : ERROR;
      return { name, status, isJson: true, body };
    });
    expect(answers).toEqual(expected);
    expect(await seen()).toEqual(before);
  });

  it('count against the quota of their key like any other call', async () => {
    const { secret, admin } = await newOrganisation(service, { tier: 'business' });
    const used = async (): Promise<number> =>
      expectData(await admin.get<{ quota: { used: number } }>('/auth/info')).quota.used;
    const first = await used();
    for (const path of ['/metrics/%ZZ', '/nothing', `/metrics/${'m'.repeat(9_000)}`, '/metrics/met%00nul']) {
      const response = await fetch(`${service.url}/api/v1${path}`, { headers: { 'x-api-key': secret } });
      expect(response.headers.get('ratelimit-remaining')).toMatch(/^\d+$/);
    }
    expect(await used()).toBe(first + 5);
  });
});

describe('hostile uploads', () => {
  it('get the expected error in the envelope, and change nothing for another organisation', async () => {
    const url = `${service.url}/api/v1/metrics/${attacker.metricId}/values/csv`;
    for (const { name, content, error, status = 400 } of someOf(HOSTILE_UPLOADS, 12)) {
      const headers = { 'x-api-key': attacker.key, 'content-type': 'text/csv' };
      const response = await fetch(url, { method: 'POST', headers, body: content() });
      const body: unknown = await response.json();
      expect({ name, status: response.status, body }).toEqual({
        name,
        status,
        body: { success: false, error: expect.stringMatching(error) as string },
      });
    }
    expect(await seen()).toEqual(before);
  });
});
