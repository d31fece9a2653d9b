import { beforeAll, describe, expect, it } from 'vitest';
import { sendMessage, toolCall } from '../../support/service/assistant-client.ts';
import { startLocalApi } from '../../support/service/local-api.ts';
import { withOpened } from '../../support/with-opened.ts';

/** What browsers and proxies may do with answers that can hold secrets or revenue, and with the pages for people. */
const api = withOpened(startLocalApi);
let key: Record<string, string>;

beforeAll(async () => {
  key = { 'x-api-key': (await api.newTenant()).secret };
});

const cacheOf = ({ headers }: Response): string | null => headers.get('cache-control');

describe('caches', () => {
  it('store no answer of the API, the operator or the assistant, not even an error', async () => {
    for (const path of ['/api/v1/keys', '/api/v1/nothing', '/api/v1/auth/info', '/operator/organisations'])
      expect([path, cacheOf(await fetch(api.url + path, { headers: key }))]).toEqual([path, 'no-store']);
    expect(cacheOf(await fetch(`${api.url}/api/v1/keys`))).toBe('no-store');
    expect(cacheOf(await sendMessage(api, key, toolCall('list_metrics')))).toBe('no-store');
  });

  it('may keep an answer with a tag, which never has revenue, if they ask whether it is still right', async () => {
    const kept = await fetch(`${api.url}/api/v1/metrics`, { headers: key });
    expect([cacheOf(kept), kept.headers.get('etag')]).toEqual(['private, no-cache', expect.any(String)]);
  });
});

describe('the page at /docs', () => {
  it.each(['/docs', '/docs/static/swagger-ui.css'])(
    'runs only its own files, in no frame: %s',
    async (path) => {
      const { status, headers } = await fetch(api.url + path);
      expect(status).toBe(200);
      const policy = headers.get('content-security-policy');
      for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
        expect(policy?.split(';')).toContain(rule);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    },
  );
});
