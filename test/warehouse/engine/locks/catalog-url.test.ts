import { expect, it } from 'vitest';
import { Client } from 'pg';
import { catalogUrl, withoutSecrets } from '../../../../warehouse/engine/locks/catalog-url.ts';

function connectionOf(catalog: string) {
  const { host, port, user, password, database } = new Client({ connectionString: catalogUrl(catalog) });
  return { host, port, user, password, database };
}

it.each([
  'host=db.example port=5433 user=costs dbname=lake password=secret',
  ` host = 'db.example'  port='5433' user=costs password='secret' dbname='lake' `,
  'postgresql://costs:secret@db.example:5433/lake',
  'postgres://costs:secret@db.example:5433/lake',
])('the Postgres client reaches the catalog that DuckDB reaches by %s', (catalog) => {
  expect(connectionOf(catalog)).toEqual({
    host: 'db.example',
    port: 5433,
    user: 'costs',
    password: 'secret',
    database: 'lake',
  });
});

it('blanks, quotes, backslashes and signs of URLs in settings stay what they are', () => {
  expect(
    connectionOf(String.raw`dbname='a lake' user=o\'brien password='it\'s \\ 100% #1&2' host=h`),
  ).toMatchObject({ database: 'a lake', user: `o'brien`, password: String.raw`it's \ 100% #1&2` });
});

it('a folder is the socket of a local Postgres', () => {
  expect(connectionOf('dbname=lake host=/var/run/postgresql user=me')).toMatchObject({
    host: '/var/run/postgresql',
    database: 'lake',
  });
});

it.each([
  ['sslmode=disable', false],
  ['sslmode=require', { rejectUnauthorized: false }],
  ['sslmode=verify-full', {}],
])('%s means what it means to DuckDB', (setting, ssl) => {
  const client = new Client({ connectionString: catalogUrl(`host=db dbname=lake ${setting}`) });
  expect(client.ssl).toEqual(ssl);
});

it.each([
  [`host=db password='it\\'s secret' dbname=lake sslpassword=secret`, 'host=db dbname=lake'],
  [
    'postgresql://costs:secret@db:5433/lake?sslmode=require',
    'postgresql://costs@db:5433/lake?sslmode=require',
  ],
  ['postgres://db/lake?user=costs&password=secret', 'postgres://db/lake?user=costs'],
])('%s is shown to operators without its passwords', (catalog, shown) => {
  expect(withoutSecrets(catalog)).toBe(shown);
});
