import { expect, it } from 'vitest';
import { removeOldSignOuts } from '../../../warehouse/engine/maintenance/maintenance.ts';
import { listAuditLog } from '../../../warehouse/engine/records/audit-log.ts';
import type { KeyHolder } from '../../../warehouse/organisations/api-keys.ts';
import { endSession, isEnded, newSession } from '../../../warehouse/organisations/browser-sessions.ts';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { ADMIN, BY_ADMIN, newOrganisation, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

describeOnBothEngines('browser sessions', (open) => {
  const test = withOpened(open);

  const holderOf = async (expires_at: string | null = null): Promise<KeyHolder> => ({
    organisation: await newOrganisation(test.warehouse),
    key: { id: ADMIN.id, name: ADMIN.name, permission: 'admin', expires_at },
    secretHash: '',
    revoked: false,
  });

  it('last twelve hours, and no longer than the key', async () => {
    const holder = await holderOf();
    expect(newSession(holder, NOW)).toMatchObject({
      orgId: holder.organisation.id,
      keyId: ADMIN.id,
      expiresAt: '2026-02-07T18:00:00.000Z',
    });
    for (const [keyExpires, expiresAt] of [
      ['2026-02-07T17:59:59.999Z', '2026-02-07T17:59:59.999Z'],
      ['2026-02-07T18:00:00.001Z', '2026-02-07T18:00:00.000Z'],
    ] as const)
      expect(newSession(await holderOf(keyExpires), NOW)).toMatchObject({ expiresAt });
    expect(newSession(holder, NOW).id).not.toBe(newSession(holder, NOW).id);
  });

  it('end with their sign-out, which the audit log has', async () => {
    const sessions = [newSession(await holderOf(), NOW), newSession(await holderOf(), NOW)] as const;
    const [ended, other] = sessions;
    expect(await isEnded(test.warehouse, ended)).toBe(false);
    await endSession(test.warehouse, ended, { actor: { ...ADMIN, through: 'session' }, now: NOW });
    expect(await isEnded(test.warehouse, ended)).toBe(true);
    expect(await isEnded(test.warehouse, other)).toBe(false);
    // The id alone does not end a session of another organisation.
    expect(await isEnded(test.warehouse, { id: ended.id, orgId: other.orgId })).toBe(false);
    const page = { limit: 10, cursor: null };
    expect((await listAuditLog(test.warehouse, ended.orgId, page)).items).toMatchObject([
      {
        actor: ADMIN,
        action: 'signed_out',
        target: ADMIN.id,
        detail: { session_id: ended.id, through: 'session' },
      },
    ]);
  });

  it('end at once on other nodes', async ({ skip }) => {
    skip(!test.warehouse.isDuckLake, 'a DuckDB file has one node');
    const other = await Warehouse.open(test.settings);
    const session = newSession(await holderOf(), NOW);
    expect(await isEnded(other, session)).toBe(false);
    await endSession(test.warehouse, session, BY_ADMIN);
    expect(await isEnded(other, session)).toBe(true);
    other.close();
  });

  it('stay ended until they would have expired', async () => {
    const session = newSession(await holderOf(), NOW);
    await endSession(test.warehouse, session, BY_ADMIN);
    // It would have expired on 7 February at 18:00. The sign-out goes a day later.
    await removeOldSignOuts(test.warehouse, new Date('2026-02-08T18:00:00.000Z'));
    expect(await isEnded(test.warehouse, session)).toBe(true);
    await removeOldSignOuts(test.warehouse, new Date('2026-02-08T18:00:00.001Z'));
    expect(await isEnded(test.warehouse, session)).toBe(false);
  });
});
