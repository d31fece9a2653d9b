import { expect, it } from 'vitest';
import { as, signIn, type Answer } from '../../support/service/api-client.ts';
import { expectData, expectError, expectPage } from '../../support/service/envelope.ts';
import { OPERATOR_KEY, startLocalApi } from '../../support/service/local-api.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { newOrganisation } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

/** Temporal cannot be reached here, so that no organisation can be made. */
describeOnBothEngines('the operator', (open) => {
  const api = withOpened(() => startLocalApi({ open }));

  const operator = async <Data>(method: string, path: string, body?: object): Promise<Answer<Data>> => {
    const response = await fetch(`${api.url}/operator${path}`, {
      method,
      headers: {
        'x-operator-key': OPERATOR_KEY,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Answer<Data>['body'],
    };
  };

  it('makes no organisation with a name that another one has, in any encoding', async () => {
    const { id } = await newOrganisation(api.warehouse, { name: 'Caf\u00e9 Nord' });
    for (const name of ['Caf\u00e9 Nord', ' Cafe\u0301  Nord '])
      expectError(
        await operator('POST', '/organisations', { name, currency: 'USD' }),
        409,
        new RegExp(`^name: expected a name that no other organisation has.*the name of ${id}$`),
      );
    // Another name, and no tier, come as far as Temporal.
    expectError(
      await operator('POST', '/organisations', { name: 'caf\u00e9 Nord', currency: 'USD' }),
      503,
      /Temporal/,
    );
  });

  it('revokes any key of an organisation at once, also its last admin key, and the audit log names the operator', async () => {
    const { orgId, secret } = await api.newTenant();
    const admin = as(api, secret);
    const [{ id }] = expectPage(await admin.get<[{ id: string }]>('/keys')).items as [{ id: string }];
    expectError(await admin.delete(`/keys/${id}`), 409, /the last active admin key/);
    const path = `/organisations/${orgId}/keys/${id}`;
    for (let again = 0; again < 2; again += 1)
      expect(expectData(await operator('DELETE', path))).toMatchObject({
        id,
        revoked_at: '2026-02-07T06:00:00.000Z',
      });
    expectError(await admin.get('/organisation'), 401, /revoked/);
    const other = as(api, await api.newKey(orgId));
    const { items } = expectPage(await other.get<object[]>('/audit-log?action=key.revoke'));
    expect(items).toMatchObject([
      { actor: { type: 'operator' }, action: 'key.revoke', target: id, detail: { name: 'Admin' } },
    ]);
  });

  it('revokes no key of another organisation', async () => {
    const [one, two] = [await api.newTenant(), await api.newTenant()];
    const keys = await as(api, one.secret).get<{ id: string }[]>('/keys');
    const id = expectPage(keys).items[0]?.id ?? '';
    expectError(await operator('DELETE', `/organisations/${two.orgId}/keys/${id}`), 404, /key/);
    expectError(await operator('DELETE', `/organisations/org_none/keys/${id}`), 404, /org_none/);
    expectData(await as(api, one.secret).get('/organisation'));
  });

  it('deletes an organisation: its keys and sessions end at once, even if Temporal is away, and its name is free', async () => {
    const { id: orgId } = await newOrganisation(api.warehouse, { name: 'Moving out' });
    const secret = await api.newKey(orgId);
    const { secret: other } = await api.newTenant();
    expectData(await as(api, secret).get('/organisation'));
    const { page } = await signIn(api, secret);
    expectData(await page.get('/organisation'));
    expect(expectData(await operator('GET', `/organisations/${orgId}`))).toMatchObject({
      name: 'Moving out',
      keys: 1,
      cost_sources: 0,
    });

    // Temporal cannot be reached, so that the deletion stops after its first step.
    expectError(await operator('DELETE', `/organisations/${orgId}`), 503, /Temporal/);
    expectError(await as(api, secret).get('/organisation'), 401, /this API key is not valid/);
    expectError(await page.get('/organisation'), 401, /its key no longer exists/);
    expectData(await as(api, other).get('/organisation'));
    expectError(await operator('GET', `/organisations/${orgId}`), 404, new RegExp(orgId));
    expectError(await operator('PATCH', `/organisations/${orgId}`, { tier: 'starter' }), 404, /org_/);
    expectError(await operator('POST', `/organisations/${orgId}/keys`, {}), 404, /org_/);
    const listed = expectData(await operator<{ id: string }[]>('GET', '/organisations'));
    expect(listed.map(({ id }) => id)).not.toContain(orgId);
    expect(expectData(await operator<object[]>('GET', '/deletions'))).toEqual([
      {
        organisation: orgId,
        deleted_by: { type: 'operator', id: 'operator', name: 'operator' },
        requested_at: '2026-02-07T06:00:00.000Z',
        completed_at: null,
      },
    ]);
    await newOrganisation(api.warehouse, { name: 'Moving out' });
    expectError(await operator('DELETE', '/organisations/org_none'), 404, /org_none/);
  });
});
