import { beforeAll, expect, it } from 'vitest';
import { newOrganisation, type Api } from '../support/service/api-client.ts';
import { newServiceAccount } from '../support/fakes/bigquery/service-account.ts';
import { TEST_KEY } from '../support/fakes/stripe/key-parts.ts';
import { sharedService } from '../support/service/shared-service.ts';
import { validBodies } from './valid-bodies.ts';

/** No refusal repeats a part of a credential, in whichever field it was sent. */
const { key } = newServiceAccount();
const CREDENTIALS: unknown[] = [
  key,
  JSON.stringify(key),
  key['private_key'],
  [key],
  TEST_KEY,
  { [TEST_KEY]: TEST_KEY },
];
const PARTS = [
  /-----BEGIN/,
  new RegExp(key['private_key_id'] ?? 'expected an id'),
  new RegExp((key['private_key'] ?? '').slice(30, 60).replaceAll('+', '\\+')),
  new RegExp(TEST_KEY.slice(0, 12)),
];

const things = {
  metric: 'met_1',
  labelled: 'met_2',
  team: 'team_1',
  source: 'src_1',
  shared: 'shc_1',
  webhook: 'whk_1',
  location: 'bill.csv',
};

/** Returns the copies of a body in which one field, or the whole, is another value. */
const replaced = (body: unknown, other: unknown): unknown[] => [
  other,
  ...(Array.isArray(body)
    ? body.flatMap((item: unknown, index) =>
        replaced(item, other).map((copy): unknown[] => body.with(index, copy)),
      )
    : typeof body === 'object' && body !== null
      ? Object.entries(body).flatMap(([name, field]) =>
          replaced(field, other).map((copy) => ({ ...body, [name]: copy })),
        )
      : []),
];

let admin: Api;
beforeAll(async () => {
  ({ admin } = await newOrganisation(await sharedService()));
});

it.each(Object.entries(validBodies(things)))('%s', async (route, body) => {
  const [method = '', path = ''] = route.split(' ');
  const withIds = path.replace(/^\/api\/v1/, '').replaceAll(/[:{]\w+\}?/g, 'x_1');
  for (const credential of CREDENTIALS)
    for (const wrong of replaced(body, credential)) {
      const { status, body: answer } = await admin.send(method, withIds, {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(wrong),
      });
      // A 409 names things that exist: what a field has accepted is no credential to it.
      if (status !== 400) continue;
      const text = JSON.stringify(answer);
      for (const part of PARTS) expect([wrong, part.test(text)]).toEqual([wrong, false]);
    }
});
