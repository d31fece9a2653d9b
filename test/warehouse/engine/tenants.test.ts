import { describe, expect, it } from 'vitest';
import { newId } from '../../../warehouse/engine/sql/ids.ts';
import { countCalls, countSessionCalls, recordCalls } from '../../../warehouse/organisations/api-calls.ts';
import {
  createKey,
  findKeyHolders,
  listKeys,
  revokeKey,
  type ApiKey,
} from '../../../warehouse/organisations/api-keys.ts';
import { OPERATOR } from '../../../domain/organisations/actor.ts';
import { audit, listAuditLog } from '../../../warehouse/engine/records/audit-log.ts';
import {
  findOrganisation,
  listOrganisations,
  updateOrganisation,
} from '../../../warehouse/organisations/organisations.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { textLike } from '../../support/service/matchers.ts';
import { newOrganisation, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const ALL = { limit: 1000, cursor: null };
const BY_OPERATOR = { actor: OPERATOR, now: NOW };

describeOnBothEngines('organisations, keys, calls and the audit log', (open) => {
  const test = withOpened(open);

  const newKey = async (orgId: string, changes: Partial<ApiKey> = {}): Promise<string> => {
    const id = newId('key');
    await test.warehouse.session((session) =>
      createKey(
        session,
        orgId,
        { id, name: 'Key', permission: 'read', expires_at: null, secretHash: `hash of ${id}`, ...changes },
        NOW,
      ),
    );
    return id;
  };
  const nothing = async (): Promise<void> => undefined;

  describe('an organisation', () => {
    it('is read as it was stored, and changes field by field', async () => {
      const { warehouse } = test;
      const acme = await newOrganisation(warehouse, { name: 'Acme', tier: 'starter', settle_days: 3 });
      const other = await newOrganisation(warehouse, { name: 'Other' });
      expect(await findOrganisation(warehouse, acme.id)).toEqual(acme);

      expect(await updateOrganisation(warehouse, acme.id, { tier: 'business' }, BY_OPERATOR)).toEqual({
        ...acme,
        tier: 'business',
      });
      // The clock stands still, so the ids decide the order of the two versions.
      await updateOrganisation(warehouse, acme.id, { name: 'Acme Ltd', settle_days: 0 }, BY_OPERATOR);
      expect(await findOrganisation(warehouse, acme.id)).toEqual({
        id: acme.id,
        name: 'Acme Ltd',
        tier: 'business',
        currency: 'USD',
        settle_days: 0,
      });
      expect(await findOrganisation(warehouse, other.id)).toEqual(other);
      const ids = (await listOrganisations(warehouse)).map(({ id }) => id);
      expect(ids.filter((id) => id === acme.id)).toHaveLength(1);
      expect(ids.indexOf(acme.id)).toBeLessThan(ids.indexOf(other.id));
    });

    it('records in the audit log who changed what', async () => {
      const { id } = await newOrganisation(test.warehouse);
      await updateOrganisation(test.warehouse, id, { tier: 'starter' }, BY_OPERATOR);
      await updateOrganisation(test.warehouse, id, { name: 'Acme Ltd' }, BY_OPERATOR);
      const { items: records } = await listAuditLog(test.warehouse, id, ALL);
      expect(records.map(({ actor, action, target, detail }) => [actor.id, action, target, detail])).toEqual([
        ['operator', 'organisation.update', id, { name: 'Acme Ltd' }],
        ['operator', 'organisation.update', id, { tier: 'starter' }],
      ]);
    });

    it('is null if it does not exist, and a change does not create it', async () => {
      expect(await findOrganisation(test.warehouse, 'org_none')).toBeNull();
      expect(await updateOrganisation(test.warehouse, 'org_none', { name: 'Ghost' }, BY_OPERATOR)).toBeNull();
      expect(await findOrganisation(test.warehouse, 'org_none')).toBeNull();
    });

    it('keeps all of several changes at once', async () => {
      const { id } = await newOrganisation(test.warehouse);
      await Promise.all([
        updateOrganisation(test.warehouse, id, { name: 'New name' }, BY_OPERATOR),
        updateOrganisation(test.warehouse, id, { tier: 'starter' }, BY_OPERATOR),
        updateOrganisation(test.warehouse, id, { settle_days: 9 }, BY_OPERATOR),
      ]);
      expect(await findOrganisation(test.warehouse, id)).toMatchObject({
        name: 'New name',
        tier: 'starter',
        settle_days: 9,
      });
    });
  });

  describe('a key', () => {
    it('is found by its id together with its organisation', async () => {
      const organisation = await newOrganisation(test.warehouse, { tier: 'professional' });
      const id = await newKey(organisation.id, {
        name: 'CI',
        permission: 'metrics:ingest',
        expires_at: '2026-03-01T00:00:00.000Z',
      });
      const holders = await findKeyHolders(test.warehouse, [id, 'key_none']);
      expect([...holders.keys()]).toEqual([id]);
      expect(holders.get(id)).toEqual({
        organisation,
        key: { id, name: 'CI', permission: 'metrics:ingest', expires_at: '2026-03-01T00:00:00.000Z' },
        secretHash: `hash of ${id}`,
        revoked: false,
      });
    });

    it('shows the newest version of its organisation', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse, { tier: 'starter' });
      const id = await newKey(orgId);
      await updateOrganisation(test.warehouse, orgId, { tier: 'enterprise' }, BY_OPERATOR);
      const holder = (await findKeyHolders(test.warehouse, [id])).get(id);
      expect(holder?.organisation.tier).toBe('enterprise');
    });

    it('is revoked immediately, and only once', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const id = await newKey(orgId);
      const recorded: string[] = [];
      const record = async (_: unknown, key: ApiKey): Promise<void> => {
        recorded.push(key.id);
      };
      const revoked = await revokeKey(test.warehouse, orgId, id, NOW, record);
      expect(revoked?.revoked_at).toBe(NOW.toISOString());
      expect((await findKeyHolders(test.warehouse, [id])).get(id)?.revoked).toBe(true);
      const later = new Date('2026-02-08T00:00:00Z');
      const again = await revokeKey(test.warehouse, orgId, id, later, record);
      expect(again?.revoked_at).toBe(NOW.toISOString());
      expect(recorded).toEqual([id]);
    });

    it('stays valid if its revocation cannot be recorded', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const id = await newKey(orgId);
      const failing = revokeKey(test.warehouse, orgId, id, NOW, async () => {
        throw new Error('no audit');
      });
      await expect(failing).rejects.toThrow('no audit');
      expect((await findKeyHolders(test.warehouse, [id])).get(id)?.revoked).toBe(false);
    });

    it('cannot be revoked or read by another organisation', async () => {
      const mine = await newOrganisation(test.warehouse);
      const theirs = await newOrganisation(test.warehouse);
      const id = await newKey(theirs.id);
      expect(await revokeKey(test.warehouse, mine.id, id, NOW, nothing)).toBeNull();
      expect((await findKeyHolders(test.warehouse, [id])).get(id)?.revoked).toBe(false);
      expect(await listKeys(test.warehouse, mine.id, ALL)).toEqual([]);
    });

    it('cannot be revoked if it is the last active admin key', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const admin = await newKey(orgId, { name: 'Only', permission: 'admin' });
      await newKey(orgId, { permission: 'write' });
      // An expired admin key does not count. It has expired from the very instant of its expiry on.
      const expired = await newKey(orgId, { permission: 'admin', expires_at: NOW.toISOString() });
      await expect(revokeKey(test.warehouse, orgId, admin, NOW, nothing)).rejects.toMatchObject({
        kind: 'conflict',
        message:
          'key "Only" is the last active admin key: create an admin key without expires_at before revoking it',
      });
      expect((await findKeyHolders(test.warehouse, [admin])).get(admin)?.revoked).toBe(false);
      expect(await revokeKey(test.warehouse, orgId, expired, NOW, nothing)).not.toBeNull();

      // A key that will expire does not count either, because its expiry would lock everybody out.
      const temporary = { permission: 'admin', expires_at: '2026-02-07T06:00:00.001Z' } as const;
      const expiring = await newKey(orgId, temporary);
      await expect(revokeKey(test.warehouse, orgId, admin, NOW, nothing)).rejects.toMatchObject({
        kind: 'conflict',
        message: textLike(/^key "Only" is the last active admin key that never expires: create an admin key/),
      });
      const next = await newKey(orgId, { name: 'Next', permission: 'admin' });
      expect(await revokeKey(test.warehouse, orgId, admin, NOW, nothing)).not.toBeNull();
      expect(await revokeKey(test.warehouse, orgId, expiring, NOW, nothing)).not.toBeNull();
      await expect(revokeKey(test.warehouse, orgId, next, NOW, nothing)).rejects.toThrow('last active admin');
    });

    it('can be revoked if it expires and another admin key remains', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const temporary = { permission: 'admin', expires_at: '2026-02-08T06:00:00Z' } as const;
      const [one, two] = [await newKey(orgId, temporary), await newKey(orgId, temporary)];
      expect(await revokeKey(test.warehouse, orgId, one, NOW, nothing)).not.toBeNull();
      await expect(revokeKey(test.warehouse, orgId, two, NOW, nothing)).rejects.toThrow('last active admin');
    });

    it('stays active if it is one of the last two admin keys, and both are revoked at once', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const keys = [
        await newKey(orgId, { permission: 'admin' }),
        await newKey(orgId, { permission: 'admin' }),
      ];
      const outcomes = await Promise.allSettled(
        keys.map((id) => revokeKey(test.warehouse, orgId, id, NOW, nothing)),
      );
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const holders = [...(await findKeyHolders(test.warehouse, keys)).values()];
      expect(holders.filter(({ revoked }) => !revoked)).toHaveLength(1);
    });

    it('is listed page by page, oldest first, with its last use', async () => {
      const { id: orgId } = await newOrganisation(test.warehouse);
      const ids = [await newKey(orgId), await newKey(orgId), await newKey(orgId)];
      const call = { orgId, day: '2026-02-07', keyId: ids[1] ?? '', calls: 1, sessionCalls: 0 };
      await recordCalls(test.warehouse, [
        { ...call, lastCallAt: '2026-02-07T05:00:00.000Z' },
        { ...call, lastCallAt: '2026-02-07T04:00:00.000Z' },
      ]);
      const first = await listKeys(test.warehouse, orgId, { limit: 2, cursor: null });
      expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      expect(first.map(({ last_used_at }) => last_used_at)).toEqual([null, '2026-02-07T05:00:00.000Z']);
      const second = await listKeys(test.warehouse, orgId, { limit: 2, cursor: first[1]?.id ?? null });
      expect(second.map(({ id }) => id)).toEqual(ids.slice(2));
    });
  });

  it('counts the daily calls of an organisation over its keys and over nodes', async () => {
    const [mine, theirs] = [await newOrganisation(test.warehouse), await newOrganisation(test.warehouse)];
    const lastCallAt = '2026-02-07T05:00:00.000Z';
    const calls = (orgId: string, day: string, keyId: string, count: number) => ({
      orgId,
      day,
      keyId,
      calls: count,
      sessionCalls: 3,
      lastCallAt,
    });
    await recordCalls(test.warehouse, [
      calls(mine.id, '2026-02-07', 'key_a', 40),
      calls(mine.id, '2026-02-07', 'key_b', 2),
      calls(mine.id, '2026-02-06', 'key_a', 1000),
      calls(theirs.id, '2026-02-07', 'key_c', 500),
    ]);
    await recordCalls(test.warehouse, [calls(mine.id, '2026-02-07', 'key_a', 8)]);
    expect(await countCalls(test.warehouse, mine.id, '2026-02-07')).toBe(50); // 40 + 2 + 8
    expect(await countCalls(test.warehouse, mine.id, '2026-02-06')).toBe(1000);
    expect(await countCalls(test.warehouse, mine.id, '2026-02-08')).toBe(0);
    expect(await countCalls(test.warehouse, theirs.id, '2026-02-07')).toBe(500);
    // 3 + 3: free calls in sessions count for their key alone.
    const key = { orgId: mine.id, keyId: 'key_a' };
    expect(await countSessionCalls(test.warehouse, key, '2026-02-07')).toBe(6);
    expect(await countSessionCalls(test.warehouse, key, '2026-02-08')).toBe(0);
  });

  it('pages the audit log of each organisation, newest first', async () => {
    const [mine, theirs] = [await newOrganisation(test.warehouse), await newOrganisation(test.warehouse)];
    const actor = { type: 'key', id: 'key_1', name: 'Finance' } as const;
    const record = (orgId: string, target: string) =>
      test.warehouse.session((session) =>
        audit(session, orgId, { actor, action: 'key.create', target, detail: { note: `'${target}'` } }, NOW),
      );
    for (let number = 1; number <= 5; number += 1) {
      await record(mine.id, `key_${number}`);
      await record(theirs.id, `their_${number}`);
    }
    const targets: string[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < 4; page += 1) {
      const { items: records } = await listAuditLog(test.warehouse, mine.id, { limit: 3, cursor });
      targets.push(...records.map(({ target }) => target));
      cursor = records.at(-1)?.id ?? cursor;
    }
    expect(targets).toEqual(['key_5', 'key_4', 'key_3', 'key_2', 'key_1']);
    const {
      items: [newest],
    } = await listAuditLog(test.warehouse, mine.id, ALL);
    expect(newest).toMatchObject({
      at: NOW.toISOString(),
      actor,
      action: 'key.create',
      target: 'key_5',
      detail: { note: `'key_5'` },
    });
  });

  it('records nothing of a transaction that fails', async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const failing = test.warehouse.transaction(async (session) => {
      await audit(
        session,
        orgId,
        { actor: OPERATOR, action: 'organisation.update', target: orgId, detail: {} },
        NOW,
      );
      throw new Error('later step');
    });
    await expect(failing).rejects.toThrow('later step');
    expect(await listAuditLog(test.warehouse, orgId, ALL)).toEqual({ items: [], hasMore: false });
  });
});
