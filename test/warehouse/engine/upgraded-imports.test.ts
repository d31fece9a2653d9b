import { expect, it } from 'vitest';
import { masterKeyId, Sealer } from '../../../security/sealing.ts';
import { resealSome } from '../../../warehouse/engine/records/reseal.ts';
import { sealedByKeys } from '../../../warehouse/engine/records/sealed-texts.ts';
import { BASELINE } from '../../../warehouse/engine/migrations/032-baseline.ts';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { credentialOf, findImport, IMPORTS } from '../../../warehouse/imports/imports.ts';
import { describeOnBothEngines } from '../../support/warehouse/engines.ts';

const ORG = 'org_1';
const [OLD_KEY, NEW_KEY] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

/** The imports of version 32: BigQuery's was moved to another query, one was disconnected, and Stripe's is as it was connected. */
const VERSIONS = [
  ['imp_1', '00000001', 'met_1', `'bigquery', 'acme-data', 'EU', 'SELECT 1'`, 'cred_0', false],
  ['imp_1', '00000002', 'met_1', `'bigquery', 'acme-data', 'EU', 'SELECT ''it''''s'''`, 'cred_1', false],
  ['imp_2', '00000003', 'met_2', `'bigquery', 'acme-data', NULL, 'SELECT 2'`, 'cred_2', false],
  ['imp_2', '00000004', 'met_2', `'bigquery', 'acme-data', NULL, 'SELECT 2'`, 'cred_2', true],
  ['imp_3', '00000005', 'met_3', `'stripe', NULL, NULL, NULL`, 'cred_3', false],
] as const;

describeOnBothEngines('the imports of a warehouse of version 32', (open) => {
  it('keep what they read and their credentials, and the master key still rotates', async () => {
    const test = await open([BASELINE]);
    const old = new Sealer(OLD_KEY, null);
    const insert = (table: string, rows: readonly string[]) =>
      test.warehouse.transaction((session) => session.run(`INSERT INTO ${table} VALUES ${rows.join(', ')}`));
    await insert(
      'import_versions',
      VERSIONS.map(
        ([id, version, metric, definition, credential, deleted]) =>
          `('${ORG}', '${id}', '${version}-0000-7000-8000-000000000000', '${metric}', ${definition}, '${credential}',
            DATE '2026-01-01', TIMESTAMP '2026-02-01', ${deleted}, TIMESTAMP '2026-02-01', 'key_admin')`,
      ),
    );
    await insert(
      'import_credentials',
      [
        ['met_1', 'cred_1', '{"private_key":"one"}'],
        ['met_3', 'cred_3', 'rk_live_three'],
      ].map(([metric = '', credential = '', text = '']) => {
        const place = { orgId: ORG, record: `${metric} ${credential}`, field: 'import credential' };
        return `('${ORG}', '${metric}', '${credential}', '${old.seal(place, text.padEnd(8_192))}', TIMESTAMP '2026-02-01')`;
      }),
    );
    test.warehouse.close();

    const warehouse = await Warehouse.open(test.settings);
    try {
      const credentialsBy = async (sealer: Sealer) => {
        const found = (await IMPORTS.list(warehouse, ORG)).toSorted((one, other) =>
          one.id < other.id ? -1 : 1,
        );
        return Promise.all(
          found.map(async (connection) => [
            connection.definition,
            await credentialOf(warehouse, sealer, ORG, connection),
          ]),
        );
      };
      const kept = [
        [
          { type: 'bigquery', project_id: 'acme-data', location: 'EU', query: `SELECT 'it''s'` },
          '{"private_key":"one"}',
        ],
        [{ type: 'stripe' }, 'rk_live_three'],
      ];
      expect(await credentialsBy(old)).toEqual(kept);
      expect(await findImport(warehouse, ORG, 'met_2')).toBeNull();

      expect(await resealSome(warehouse, new Sealer(NEW_KEY, OLD_KEY))).toEqual({
        resealed: 2,
        remaining: 0,
        unreadable: 0,
      });
      expect(await sealedByKeys(warehouse)).toEqual([{ key_id: masterKeyId(NEW_KEY), texts: 2 }]);
      expect(await credentialsBy(new Sealer(NEW_KEY, null))).toEqual(kept);
    } finally {
      warehouse.close();
      await test.close();
    }
  });
});
