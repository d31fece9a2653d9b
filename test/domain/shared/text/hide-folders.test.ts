import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { hideFolders } from '../../../../domain/shared/text/hide-folders.ts';
import { operatorFolders } from '../../../../bin/settings/operator-folders.ts';
import { readSettings } from '../../../../bin/settings/settings.ts';

const forTenants = (environment: Record<string, string>): ((message: string) => string) =>
  hideFolders(operatorFolders(readSettings({ DATA_DIR: '/var/lib/ca', ...environment })));

describe('a message for an organisation', () => {
  it.each([
    [
      'IO Error: Could not write file "/var/lib/ca/spill/process-1/x.tmp": No space left on device',
      'IO Error: Could not write file "DATA_DIR/spill/process-1/x.tmp": No space left on device',
    ],
    ['Cannot open /var/lib/ca/warehouse.duckdb.wal', 'Cannot open DATA_DIR/warehouse.duckdb.wal'],
    ['could not lock /var/lib/ca/warehouse.duckdb', 'could not lock WAREHOUSE'],
    [`Extension "${homedir()}/.duckdb/x" not found`, 'Extension "~/.duckdb/x" not found'],
    ["EACCES: permission denied, open '/var/lib/ca'", "EACCES: permission denied, open 'DATA_DIR'"],
  ])('names the setting in the place of a folder of the operator: %s', (message, shown) => {
    expect(forTenants({})(message)).toBe(shown);
  });

  it.each([
    'No files found that match the pattern "/var/lib/ca/exports/org_1/bill*.csv"',
    'GET https://host/var/lib/ca/spill answered 404',
    '/var/lib/cargo/a.csv is empty',
    '/mnt/var/lib/ca/spill',
    'look at GET /cost-sources/{id}/runs',
  ])('stays as it is: %s', (message) => {
    expect(forTenants({})(message)).toBe(message);
  });

  it('shows the folders that its sources may name, wherever they lie', () => {
    const show = forTenants({ SOURCE_ROOTS: '/var/lib/ca/bills/{organisation}:/srv' });
    expect(show('"/var/lib/ca/bills/org_1/a.csv" and "/srv/b.csv", not /var/lib/ca/a')).toBe(
      '"/var/lib/ca/bills/org_1/a.csv" and "/srv/b.csv", not DATA_DIR/a',
    );
  });
});
