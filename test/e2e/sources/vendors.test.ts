import { beforeAll, describe, expect, it } from 'vitest';
import { ingest, newOrganisation, waitFor, type Api, type Run } from '../../support/service/api-client.ts';
import { create } from '../../support/service/create.ts';
import { expectData, expectError } from '../../support/service/envelope.ts';
import { ADMIN_KEY, startFakeAnthropic } from '../../support/fakes/vendors/fake-anthropic.ts';
import { CURSOR_KEY, startFakeCursor } from '../../support/fakes/vendors/fake-cursor.ts';
import { GITHUB_TOKEN, startFakeGitHub, WEAK_GITHUB_TOKEN } from '../../support/fakes/vendors/fake-github.ts';
import { withService } from '../../support/service/with-service.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Vendors of AI tools, through the real workflow. It is 7 February 2026. */
const service = withService({
  CLOCK: '2026-02-07T06:00:00Z',
  PRIVATE_TARGETS: '127.0.0.1',
  LOG_LEVEL: 'trace',
});
const github = withOpened(() =>
  startFakeGitHub([
    { day: '2025-03-10', report: 'premium_request', gross: 4, net: 1.5 },
    { day: '2026-02-05', gross: 12, net: 10 },
  ]),
);
const anthropic = withOpened(() =>
  startFakeAnthropic(
    [{ day: '2026-02-05', cents: '2050.5' }],
    [{ day: '2026-02-05', email: 'ada@acme.example', cents: 900 }],
  ),
);
const cursor = withOpened(() => startFakeCursor([{ at: '2026-02-05T12:00:00Z', cents: 750 }]));

const token = (text: string) => ({ type: 'token', token: text });
let admin: Api;

beforeAll(async () => {
  ({ admin } = await newOrganisation(service));
});

const sourceOf = (vendor: string, location: string) => ({
  name: vendor,
  kind: 'ai_tools',
  location,
  options: { vendor },
});

describe('a source of a vendor', () => {
  it.each([
    ['github', () => `${github.url}/organizations/acme`, GITHUB_TOKEN, 11.5],
    ['anthropic', () => anthropic.url, ADMIN_KEY, 20.505],
    ['cursor', () => cursor.url, CURSOR_KEY, 7.5],
  ])('%s is connected with a token that works, and read', async (vendor, location, good, total) => {
    const source = sourceOf(vendor, location());
    expectError(
      await admin.post('/cost-sources', { ...source, credentials: token('wrong-token-0123456789') }),
      400,
      /answered 401.*replace the credentials/,
    );
    const id = await create(admin, '/cost-sources', { ...source, credentials: token(good) });
    const run = await ingest(admin, id);
    expect(run).toMatchObject({ status: 'completed', cost_total: total, error: null });
    expect(await ingest(admin, id)).toMatchObject({ status: 'completed' });
    const shown = JSON.stringify((await admin.get(`/cost-sources/${id}`)).body);
    expect(shown).toContain('"type":"token"');
    for (const text of [shown, service.logs()]) {
      expect(text).not.toContain(good);
      expect(text).not.toContain('ada@acme.example');
    }
  });

  it('counts in the total as AI tools', async () => {
    const { body } = await admin.get<{ by_source: object; total: number }>(
      '/costs?start_date=2026-02-05&end_date=2026-02-05',
    );
    expect(body.data).toMatchObject({ total: 38.005, by_source: { ai_tools: 38.005 } });
  });

  it('fails without credentials, and works once they are set; wrong ones change nothing', async () => {
    const other = await newOrganisation(service);
    const id = await create(
      other.admin,
      '/cost-sources',
      sourceOf('github', `${github.url}/enterprises/acme`),
    );
    expect(await ingest(other.admin, id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^credentials: expected .*to read GitHub, got none/) as string,
    });
    const put = (text: string) =>
      other.admin.send('PUT', `/cost-sources/${id}/credentials`, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(token(text)),
      });
    expectError(await put(WEAK_GITHUB_TOKEN), 400, /answered 403.*"Administration" \(read\)/);
    expectData(await put(GITHUB_TOKEN));
    expect(await ingest(other.admin, id)).toMatchObject({ status: 'completed', cost_total: 11.5 });
  });

  it('is refused at a place that is none of the vendor, and in another currency', async () => {
    expectError(
      await admin.post('/cost-sources', sourceOf('github', `${github.url}/acme`)),
      400,
      /^location: expected "https:\/\/api\.github\.com\/organizations\/NAME"/,
    );
    const euro = await newOrganisation(service, { currency: 'EUR' });
    expectError(
      await euro.admin.post('/cost-sources', sourceOf('cursor', cursor.url)),
      400,
      /^options\.vendor: Cursor bills in USD/,
    );
  });

  it('that is killed halfway finishes by itself after the restart, with the exact total', async () => {
    const story = await newOrganisation(service);
    const id = await create(story.admin, '/cost-sources', {
      ...sourceOf('github', `${github.url}/organizations/acme`),
      credentials: token(GITHUB_TOKEN),
    });
    let killed = null as Promise<unknown> | null;
    github.instead = ({ path }) => {
      if (path.includes('premium_request')) killed ??= service.kill();
      return undefined;
    };
    expectData(await story.admin.post(`/cost-sources/${id}/ingest`, {}));
    await waitFor(() => Promise.resolve(killed === null ? undefined : true));
    await killed;
    github.instead = null;
    await service.start();
    const { url } = service;
    const run = await waitFor(async () => {
      const answer = await fetch(`${url}/api/v1/cost-sources/${id}/runs`, {
        headers: { 'x-api-key': story.secret },
      });
      const { data } = (await answer.json()) as { data: Run[] };
      return data.find(({ status }) => status !== 'running');
    });
    expect(run).toMatchObject({ status: 'completed', cost_total: 11.5 });
  });
});
