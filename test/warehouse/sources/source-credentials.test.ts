import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Credentials } from '../../../domain/sources/credentials.ts';
import { Sealer } from '../../../security/sealing.ts';
import { eraseDeleted } from '../../../warehouse/engine/maintenance/erasure.ts';
import { compact } from '../../../warehouse/engine/maintenance/maintenance.ts';
import { resealSome } from '../../../warehouse/engine/records/reseal.ts';
import {
  COST_SOURCES,
  createCostSource,
  credentialsOfSource,
  replaceCredentials,
  updateCostSource,
} from '../../../warehouse/sources/cost-sources.ts';
import { filesWith } from '../../support/fakes/search-bytes.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, newOrganisation, newSource, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const [OLD_KEY, NEW_KEY] = [randomBytes(32), randomBytes(32)];
const SEALER = new Sealer(OLD_KEY);

const azure = (sas: string): Credentials => ({ type: 'azure', sas_token: `sp=rl&se=2026-12-01&sig=${sas}` });

describeOnBothEngines('the credentials of cost sources', (open) => {
  const test = withOpened(open);

  const connected = async (credentials: Credentials = azure('one')) => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const source = await createCostSource(
      test.warehouse,
      orgId,
      {
        name: 'Bill',
        kind: 'focus',
        location: 'az://acme/exports/',
        currency: null,
        options: { cost_column: 'EffectiveCost' },
        schedule_paused: false,
        starts_on: null,
      },
      BY_ADMIN,
      undefined,
      { sealer: SEALER, credentials },
    );
    return { orgId, source };
  };

  const sealedOf = async (orgId: string): Promise<string[]> =>
    (
      await test.warehouse.query<{ sealed: string }>(
        'SELECT sealed_credential AS sealed FROM credentials WHERE org_id = $org',
        { org: orgId },
      )
    ).map(({ sealed }) => sealed);

  const stored = async (orgId: string, id: string) => {
    const source = await COST_SOURCES.find(test.warehouse, orgId, id);
    return source === null ? null : credentialsOfSource(test.warehouse, SEALER, orgId, source);
  };

  it('are stored with the source, sealed, and shown by a hint', async () => {
    const { orgId, source } = await connected();
    expect(source.credential).toMatchObject({
      type: 'azure',
      hint: 'SAS until 2026-12-01',
      own: true,
      set_at: NOW.toISOString(),
    });
    expect(await COST_SOURCES.find(test.warehouse, orgId, source.id)).toEqual(source);
    expect(await stored(orgId, source.id)).toEqual(azure('one'));
    expect(JSON.stringify(await sealedOf(orgId))).not.toContain('sig=');
    const { id: other } = await newSource(test.warehouse, orgId, { name: 'Another' });
    expect(await stored(orgId, other)).toBeNull();
  });

  it('are replaced at once, so that a run that began before begins anew', async () => {
    const { orgId, source } = await connected();
    const replaced = await replaceCredentials(
      test.warehouse,
      orgId,
      source.id,
      { sealer: SEALER, credentials: azure('two') },
      BY_ADMIN,
    );
    expect(replaced?.credential?.id).not.toBe(source.credential?.id);
    expect(await stored(orgId, source.id)).toEqual(azure('two'));
    await expect(credentialsOfSource(test.warehouse, SEALER, orgId, source)).rejects.toMatchObject({
      name: 'Outage',
    });
    expect(await sealedOf(orgId)).toHaveLength(1);
    expect(await replaceCredentials(test.warehouse, orgId, source.id, null, BY_ADMIN)).toMatchObject({
      credential: null,
    });
    expect(await stored(orgId, source.id)).toBeNull();
    expect(await sealedOf(orgId)).toEqual([]);
  });

  it('of two writers at once are those of the last one alone', async () => {
    const { orgId, source } = await connected();
    await Promise.all(
      ['two', 'three', 'four'].map((sas) =>
        replaceCredentials(
          test.warehouse,
          orgId,
          source.id,
          { sealer: SEALER, credentials: azure(sas) },
          BY_ADMIN,
        ),
      ),
    );
    expect(await sealedOf(orgId)).toHaveLength(1);
    expect([azure('two'), azure('three'), azure('four')]).toContainEqual(await stored(orgId, source.id));
  });

  it('go with the source, and cannot be given to one that is gone', async () => {
    const { orgId, source } = await connected();
    await updateCostSource(test.warehouse, orgId, source.id, 'delete', BY_ADMIN);
    expect(await sealedOf(orgId)).toEqual([]);
    const given = { sealer: SEALER, credentials: azure('late') };
    expect(await replaceCredentials(test.warehouse, orgId, source.id, given, BY_ADMIN)).toBeNull();
    expect(await sealedOf(orgId)).toEqual([]);
  });

  it('are not stored if the source is refused', async () => {
    const { orgId, source } = await connected();
    const { id: _, ...same } = source;
    const again = createCostSource(test.warehouse, orgId, same, BY_ADMIN, undefined, {
      sealer: SEALER,
      credentials: azure('refused'),
    });
    await expect(again).rejects.toMatchObject({ kind: 'conflict' });
    expect(await sealedOf(orgId)).toHaveLength(1);
  });

  describe('on disk', () => {
    it('are erased by the maintenance that follows their removal', async () => {
      const count = test.warehouse.isDuckLake ? 2 : 6;
      const stories = [];
      for (let index = 0; index < count; index += 1) {
        stories.push(await connected(azure(randomBytes(1_200).toString('hex'))));
        await compact(test.warehouse);
      }
      const [kept, replaced, ...deleted] = stories;
      if (kept === undefined || replaced === undefined) throw new Error('no story');
      const sealed = await Promise.all([replaced, ...deleted].map(({ orgId }) => sealedOf(orgId)));
      const parts = sealed
        .flat()
        .flatMap((text) => [100, 2_000, 5_000, 9_000].map((at) => Buffer.from(text.slice(at, at + 40))));
      await replaceCredentials(
        test.warehouse,
        replaced.orgId,
        replaced.source.id,
        { sealer: SEALER, credentials: azure('new') },
        BY_ADMIN,
      );
      for (const { orgId, source } of deleted)
        await updateCostSource(test.warehouse, orgId, source.id, 'delete', BY_ADMIN);
      await compact(test.warehouse);
      await eraseDeleted(test.warehouse);
      expect(await filesWith(test.directory, parts)).toEqual([]);
      expect(await stored(replaced.orgId, replaced.source.id)).toEqual(azure('new'));
      expect(await stored(kept.orgId, kept.source.id)).toMatchObject({ type: 'azure' });
    });
  });

  // Last, because the old key seals nothing from then on.
  it('are sealed anew with another master key, and open with neither without one', async () => {
    const { orgId, source } = await connected();
    const lost = credentialsOfSource(test.warehouse, new Sealer(NEW_KEY), orgId, source);
    await expect(lost).rejects.toThrow('the stored credentials cannot be opened: set them again, or ask');
    const rotating = new Sealer(NEW_KEY, OLD_KEY);
    let left = 1;
    while (left > 0) left = (await resealSome(test.warehouse, rotating)).remaining;
    expect(await credentialsOfSource(test.warehouse, new Sealer(NEW_KEY), orgId, source)).toEqual(
      azure('one'),
    );
  });
});
