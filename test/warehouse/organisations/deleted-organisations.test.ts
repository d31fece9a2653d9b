import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { newSecret } from '../../../api/access/api-key.ts';
import { newId } from '../../../warehouse/engine/sql/ids.ts';
import { eraseDeleted } from '../../../warehouse/engine/maintenance/erasure.ts';
import { compact } from '../../../warehouse/engine/maintenance/maintenance.ts';
import { OPERATOR } from '../../../domain/organisations/actor.ts';
import { tableNames } from '../../../warehouse/engine/sql/table-names.ts';
import { createKey, findKeyHolders } from '../../../warehouse/organisations/api-keys.ts';
import {
  closeOrganisation,
  completeDeletion,
  contentsOfOrganisation,
  isDeleted,
  listDeletions,
  removeLateRows,
  removeRows,
} from '../../../warehouse/organisations/deleted-organisations.ts';
import {
  findOrganisation,
  listOrganisations,
  refuseTakenName,
  updateOrganisation,
} from '../../../warehouse/organisations/organisations.ts';
import { createTeam, TEAMS } from '../../../warehouse/teams/teams.ts';
import { filesWith } from '../../support/fakes/search-bytes.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';
import { BY_ADMIN, newMetric, newOrganisation, newSource, NOW } from '../../support/warehouse/tenant.ts';
import { withOpened } from '../../support/with-opened.ts';

const BY_OPERATOR = { actor: OPERATOR, now: NOW };
const LATER = { ...BY_OPERATOR, now: new Date('2026-02-08T06:00:00Z') };

/** The only table that names an organisation after its deletion. */
const RECORD = 'organisation_deletions';

const newName = (): string => randomBytes(24).toString('base64url');

describeOnBothEngines('a deleted organisation', (open) => {
  const test = withOpened(open);

  const newTenant = async (name: string): Promise<{ id: string; key: string }> => {
    const { id } = await newOrganisation(test.warehouse, { name });
    const key = newId('key');
    const { secretHash } = newSecret(key);
    await test.warehouse.session((session) =>
      createKey(session, id, { id: key, name, permission: 'admin', expires_at: null, secretHash }, NOW),
    );
    return { id, key };
  };

  /** Counts the rows of each table that have a text anywhere, whatever their columns are called. */
  const rowsWith = async (text: string): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const table of await test.warehouse.session((session) => tableNames(session))) {
      const [row] = await test.warehouse.query<{ rows: string }>(
        `SELECT count(*) AS rows FROM ${table} AS stored WHERE contains(CAST(stored AS VARCHAR), $text)`,
        { text },
      );
      if (row !== undefined && row.rows !== '0') counts[table] = Number(row.rows);
    }
    return counts;
  };

  it('is closed at once: it has no key, no list shows it, and its name is free', async () => {
    const [gone, stays] = [await newTenant('Gone'), await newTenant('Stays')];
    const closed = await closeOrganisation(test.warehouse, gone.id, BY_OPERATOR);
    expect(closed).toEqual({
      deletion: {
        organisation: gone.id,
        deleted_by: BY_OPERATOR.actor,
        requested_at: '2026-02-07T06:00:00.000Z',
        completed_at: null,
      },
      createdAt: NOW,
    });
    const holders = await findKeyHolders(test.warehouse, [gone.key, stays.key]);
    expect([...holders.keys()]).toEqual([stays.key]);
    const listed = (await listOrganisations(test.warehouse)).map(({ id }) => id);
    expect(listed).toContain(stays.id);
    expect(listed).not.toContain(gone.id);
    expect(await findOrganisation(test.warehouse, gone.id)).toBeNull();
    expect(await updateOrganisation(test.warehouse, gone.id, { name: 'Back' }, BY_OPERATOR)).toBeNull();
    await test.warehouse.session((session) => refuseTakenName(session, 'Gone'));
    expect(await isDeleted(test.warehouse, gone.id)).toBe(true);
    expect(await isDeleted(test.warehouse, stays.id)).toBe(false);
  });

  it('leaves no row in any table, and the rows of others as they are', async () => {
    const [gone, stays] = [await newTenant('Leaves'), await newTenant('Remains')];
    // A row of both in every table, also in those that later versions add.
    const tables = (await test.warehouse.session((session) => tableNames(session))).filter(
      (table) => table !== 'schema_migrations' && table !== RECORD,
    );
    for (const table of tables)
      await test.warehouse.run(`INSERT INTO ${table} BY NAME SELECT unnest($orgs) AS org_id`, {
        orgs: [gone.id, stays.id],
      });
    expect(Object.keys(await rowsWith(gone.id)).sort()).toEqual(tables.sort());
    const before = await rowsWith(stays.id);

    await closeOrganisation(test.warehouse, gone.id, BY_OPERATOR);
    expect(await removeRows(test.warehouse, [gone.id], NOW)).toBeGreaterThanOrEqual(tables.length);
    await completeDeletion(test.warehouse, gone.id, LATER);
    expect(await rowsWith(gone.id)).toEqual({ [RECORD]: 2 });
    expect(await rowsWith(stays.id)).toEqual(before);
  });

  it('is deleted once: a second deletion goes on where the first stopped, and changes nothing of its record', async () => {
    const { id } = await newTenant('Twice');
    await closeOrganisation(test.warehouse, id, BY_OPERATOR);
    // The process dies when the organisation itself is gone, and its keys are not.
    await test.warehouse.run('DELETE FROM organisation_versions WHERE org_id = $org', { org: id });
    const again = await closeOrganisation(test.warehouse, id, LATER);
    expect(again).toMatchObject({ createdAt: NOW, deletion: { completed_at: null } });
    await removeRows(test.warehouse, [id], LATER.now);
    const record = {
      organisation: id,
      deleted_by: BY_OPERATOR.actor,
      requested_at: '2026-02-07T06:00:00.000Z',
      completed_at: '2026-02-08T06:00:00.000Z',
    };
    for (let time = 0; time < 2; time += 1)
      expect(await completeDeletion(test.warehouse, id, LATER)).toEqual(record);
    expect(await closeOrganisation(test.warehouse, id, LATER)).toMatchObject({ deletion: record });
    expect((await listDeletions(test.warehouse)).filter(({ organisation }) => organisation === id)).toEqual([
      record,
    ]);
    expect(await closeOrganisation(test.warehouse, 'org_none', LATER)).toBeNull();
  });

  it('loses what a step writes after its deletion to the nightly maintenance', async () => {
    // Other tests have left organisations whose rows are not removed yet.
    await removeLateRows(test.warehouse, NOW);
    const [gone, stays] = [await newTenant('Late'), await newTenant('On time')];
    await closeOrganisation(test.warehouse, gone.id, BY_OPERATOR);
    await removeRows(test.warehouse, [gone.id], NOW);
    for (const { id } of [gone, stays]) await newSource(test.warehouse, id);
    expect(await rowsWith(gone.id)).toMatchObject({ cost_source_versions: 1, audit_log: 1 });
    expect(await removeLateRows(test.warehouse, NOW)).toBe(2);
    expect(await rowsWith(gone.id)).toEqual({ [RECORD]: 1 });
    expect(await rowsWith(stays.id)).toMatchObject({ cost_source_versions: 1 });
    expect(await removeLateRows(test.warehouse, NOW)).toBe(0);
  });

  it('is the only one that is hidden, also while a node starts, which stores an empty row for a moment', async () => {
    const { id } = await newTenant('Never hidden');
    await test.warehouse.run(`INSERT INTO ${RECORD} BY NAME SELECT NULL AS org_id`);
    expect(await findOrganisation(test.warehouse, id)).toMatchObject({ name: 'Never hidden' });
    expect((await listDeletions(test.warehouse)).map(({ organisation }) => organisation)).not.toContain(null);
    await test.warehouse.run(`DELETE FROM ${RECORD} WHERE org_id IS NULL`);
  });

  it('can be counted before', async () => {
    const { id } = await newTenant('Counted');
    await newSource(test.warehouse, id);
    const metrics = [await newMetric(test.warehouse, id), await newMetric(test.warehouse, id)];
    // January is locked twice, and February once.
    for (const [metric, month] of [
      [metrics[0], '2026-01-01'],
      [metrics[0], '2026-01-01'],
      [metrics[0], '2026-02-01'],
    ] as const)
      await test.warehouse.run(
        'INSERT INTO month_locks BY NAME SELECT $org AS org_id, $metric AS metric_id, $month::DATE AS month',
        { org: id, metric: metric?.id ?? '', month },
      );
    expect(await contentsOfOrganisation(test.warehouse, id)).toEqual({
      keys: 1,
      cost_sources: 1,
      metrics: 2,
      locked_months: 2,
    });
  });

  it('is erased from disk by the nightly maintenance', async () => {
    const [gone, stays] = [await newTenant('Erased'), await newTenant('Kept')];
    // Many teams of both, one beside the other, so that blocks and files have rows of both. No name compresses.
    const names = { gone: Array.from({ length: 20 }, newName), stays: Array.from({ length: 20 }, newName) };
    for (let team = 0; team < 20; team += 1)
      for (const [{ id }, own] of [
        [gone, names.gone],
        [stays, names.stays],
      ] as const)
        await createTeam(test.warehouse, id, { name: own[team] ?? '', ownership: [] }, BY_ADMIN);
    const secret = names.gone.map((name) => Buffer.from(name));
    await compact(test.warehouse);
    expect(await filesWith(test.directory, secret)).not.toEqual([]);
    await closeOrganisation(test.warehouse, gone.id, BY_OPERATOR);
    await removeRows(test.warehouse, [gone.id], NOW);
    await compact(test.warehouse);
    await eraseDeleted(test.warehouse);
    expect(await filesWith(test.directory, secret)).toEqual([]);
    const kept = await TEAMS.list(test.warehouse, stays.id);
    expect(kept.map(({ name }) => name)).toEqual(names.stays);
    expect(
      await filesWith(
        test.directory,
        names.stays.map((name) => Buffer.from(name)),
      ),
    ).not.toEqual([]);
  });
});
