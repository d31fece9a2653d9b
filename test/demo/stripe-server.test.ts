import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { SAMPLE_KEY, startSampleStripe } from '../../demo/organisation/sales.ts';
import { restrictedKeyProblem } from '../../domain/imports/stripe/restricted-key.ts';

test('the demo’s Stripe answers its own key only, survives odd requests, and closes', async () => {
  expect(restrictedKeyProblem(SAMPLE_KEY)).toBeNull();
  const { base, close } = await startSampleStripe({ months: ['2026-01'], through: '2026-01-31' });
  const list = (key: string) =>
    fetch(`http://${base.host}:${base.port}/v1/balance_transactions?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    });
  const answer = await list(SAMPLE_KEY);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    object: 'list',
    has_more: true,
    data: [{ id: expect.stringMatching(/^txn_sample20260131/) as string }],
  });
  expect((await list('rk_test_another')).status).toBe(401);
  // A path that is no part of a URL.
  const odd = connect(base.port, base.host);
  odd.write('GET // HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  expect(await text(odd)).toMatch(/^HTTP\/1\.1 401 /);
  await close();
  await expect(list(SAMPLE_KEY)).rejects.toThrow('fetch failed');
});
