import { expect, it } from 'vitest';
import { updateCostSource, type CostSource } from '../../../../warehouse/sources/cost-sources.ts';
import { doubledNotes } from '../../../../warehouse/spend/assets/doubled-spend.ts';
import { removeDeadSpend } from '../../../../warehouse/engine/maintenance/maintenance.ts';
import { recordLoadFiles } from '../../../../warehouse/sources/publishing/load-files.ts';
import { describeOnBothEngines } from '../../../support/warehouse/engines.ts';
import { dayLine, focusCsv } from '../../../support/exports/focus-export.ts';
import { publishSpend, type SpendRow } from '../../../support/warehouse/published-spend.ts';
import {
  BY_ADMIN,
  loadPaths,
  newOrganisation,
  newSource,
  NOW,
  writeFiles,
} from '../../../support/warehouse/tenant.ts';
import { withOpened } from '../../../support/with-opened.ts';

/** Two sources with the same spend. */
describeOnBothEngines('spend that two sources count twice', (open) => {
  const test = withOpened(open);

  const notesOf = (orgId: string, source: CostSource, months = ['2026-01']) =>
    doubledNotes(test.warehouse, orgId, source, months);
  const filesOf = async (orgId: string) => {
    const rows = await test.warehouse.query<{ file: string }>(
      'SELECT file FROM load_files WHERE org_id = $org ORDER BY file',
      { org: orgId },
    );
    return rows.map(({ file }) => file);
  };

  it('is noted for a file that both read, with days and amount, until one stops reading it', async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const one = await newSource(test.warehouse, orgId, { name: 'One' });
    const other = await newSource(test.warehouse, orgId, { name: 'Other' });
    const [shared = '', own = ''] = await writeFiles(test, {
      'shared.csv': focusCsv([
        dayLine('2026-01-10', '24'),
        dayLine('2026-01-11', '3'),
        dayLine('2026-01-11', '-1', { ResourceId: 'credit' }),
        dayLine('2025-12-31', '1000', { BillingPeriodStart: '2025-12-01T00:00:00Z' }),
      ]),
      'own.csv': focusCsv([dayLine('2026-01-10', '5', { SubAccountId: '2222' })]),
    });
    await loadPaths(test, { orgId, sourceId: one.id }, [shared]);
    expect(await notesOf(orgId, one)).toEqual([]);
    await loadPaths(test, { orgId, sourceId: other.id }, [shared, own]);
    // 24 + 3 − 1. The 5 of the other file counts once, and December is not a month of the run.
    const note = (name: string) =>
      `source "${name}" also counts the file ${shared} that this source counts: 26 counts twice on 2 days from 2026-01-10 to 2026-01-11`;
    expect(await notesOf(orgId, other)).toEqual([note('One')]);
    expect(await notesOf(orgId, one)).toEqual([note('Other')]);
    expect(await notesOf(orgId, one, ['2026-02'])).toEqual([]);

    // Its December still comes from the file, its January does not.
    await loadPaths(test, { orgId, sourceId: other.id }, [own]);
    expect(await notesOf(orgId, one)).toEqual([]);
    expect(await notesOf(orgId, one, ['2025-12'])).toHaveLength(1);
    await updateCostSource(test.warehouse, orgId, other.id, 'delete', BY_ADMIN);
    expect(await notesOf(orgId, one, ['2025-12'])).toEqual([]);
  });

  it('is noted for a cluster that both report on the same days', async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const [one, other] = [
      await newSource(test.warehouse, orgId, { name: 'One', kind: 'opencost', options: {} }),
      await newSource(test.warehouse, orgId, { name: 'Other', kind: 'opencost', options: {} }),
    ];
    const row = (day: string, cluster: string, workload: string | null, cost: string): SpendRow => ({
      day,
      cluster,
      namespace: workload === null ? null : 'shop',
      workload,
      is_idle: workload === null,
      cost,
    });
    await publishSpend(test.warehouse, { orgId, sourceId: one.id }, '2026-01', {
      kubernetes_spend: [
        row('2026-01-09', 'prod', 'api', '100'),
        row('2026-01-10', 'prod', 'api', '8'),
        row('2026-01-10', 'prod', null, '2'),
        row('2026-01-11', 'prod', 'api', '8'),
        row('2026-01-11', 'edge', 'api', '4'),
      ],
    });
    await publishSpend(test.warehouse, { orgId, sourceId: other.id }, '2026-01', {
      kubernetes_spend: [
        row('2026-01-10', 'prod', 'api', '7'),
        row('2026-01-10', 'prod', null, '2'),
        row('2026-01-11', 'prod', 'web', '5'),
        row('2026-01-10', 'edge', 'api', '4'),
      ],
    });
    // On the 10th both report 7 for the api and 2 idle. On the 11th they report different workloads.
    const note = (name: string) =>
      `source "${name}" also reports cluster "prod": 9 counts twice on 2 days from 2026-01-10 to 2026-01-11`;
    expect(await notesOf(orgId, one)).toEqual([note('Other')]);
    expect(await notesOf(orgId, other)).toEqual([note('One')]);
  });

  it('is found by file URLs, which are stored without credentials', async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const loadId = '019b0000-0000-7000-8000-000000000000';
    const readFrom = [
      'https://user:secret@files.example/a.csv?X-Amz-Signature=secret#part',
      's3://bucket/b.parquet',
      '/exports/what?@.csv',
    ];
    await test.warehouse.session((session) =>
      recordLoadFiles(session, { orgId, sourceId: 'src', loadId }, readFrom),
    );
    expect(await filesOf(orgId)).toEqual([
      '/exports/what?@.csv',
      'https://files.example/a.csv',
      's3://bucket/b.parquet',
    ]);
  });

  it('needs only the files of current loads, so maintenance removes the others', async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const { id: sourceId } = await newSource(test.warehouse, orgId);
    const paths = await writeFiles(test, {
      'first.csv': focusCsv([dayLine('2026-01-10', '1')]),
      'second.csv': focusCsv([dayLine('2026-01-10', '2')]),
      'given-up.csv': focusCsv([dayLine('2026-01-10', '3')]),
    });
    const [first = '', second = '', givenUp = ''] = paths;
    await loadPaths(test, { orgId, sourceId }, [first]);
    await loadPaths(test, { orgId, sourceId }, [second]);
    await test.warehouse.session((session) =>
      recordLoadFiles(session, { orgId, sourceId, loadId: '016f5e66-e800-7000-8000-000000000000' }, [
        givenUp,
      ]),
    );
    expect(await filesOf(orgId)).toEqual([...paths].sort());
    await removeDeadSpend(test.warehouse, NOW);
    expect(await filesOf(orgId)).toEqual([second]);
  });
});
