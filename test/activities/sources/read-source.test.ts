import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSource } from '../../../activities/sources/read-source.ts';
import { idAfter } from '../../../warehouse/engine/sql/ids.ts';
import { openDuckDb, type TestWarehouse } from '../../support/warehouse/engines.ts';
import { ingestOf, loadWith } from '../../support/warehouse/feeds.ts';
import { newOrganisation, newSource, writeFiles } from '../../support/warehouse/tenant.ts';

describe('the reading of a source', () => {
  let test: TestWarehouse;
  beforeAll(async () => {
    test = await openDuckDb();
  });
  afterAll(() => test.close());

  it('begins its load after its files were found, so that choices made until then count as collected', async () => {
    const { id: orgId } = await newOrganisation(test.warehouse);
    const source = await newSource(test.warehouse, orgId, { name: 'Hosts', kind: 'hosts', options: {} });
    const paths = await writeFiles(test, {
      'hosts.csv': 'day,host,service,cost\n2026-01-10,db-1,postgres,5\n',
    });
    let choice = '';
    const staged = await loadWith(test, paths, (sessions, found) =>
      readSource(source, {
        ...ingestOf(test, sessions, { orgId, sourceId: source.id }),
        files: {
          at: () => {
            choice = idAfter(null);
            return Promise.resolve([...found]);
          },
        },
      }),
    );
    expect(staged.load.loadId > choice).toBe(true);
  });
});
