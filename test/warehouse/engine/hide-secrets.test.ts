import { expect, it } from 'vitest';
import { hideSecrets } from '../../../warehouse/engine/hide-secrets.ts';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { openDuckDb } from '../../support/warehouse/engines.ts';
import { LAKE, lacking } from '../../support/needs.ts';

const why = lacking(...LAKE);

it.each([
  [
    'Unable to connect to Postgres at "host=db password=s3cret dbname=lake"',
    /"host=db password=… dbname=lake"/,
  ],
  ["at path 'postgres:password='s3\\'cret x' host=db'", /password=… host=db/],
  ['Unable to connect to Postgres at "postgresql://costs:s3cret@db/lake"', /postgresql:\/\/costs:…@db\/lake/],
])('an error never shows a password: %s', (message, shown) => {
  const error = new Error(message);
  hideSecrets(error);
  expect(error.message).toMatch(shown);
  expect(`${error.message} ${error.stack ?? ''}`).not.toMatch(/s3|x'/);
});

it.skipIf(why !== '')(`a warehouse whose catalog is away says so without its password${why}`, async () => {
  const model = await openDuckDb();
  const location = 'ducklake:postgres:host=127.0.0.1 port=1 dbname=lake password=s3cret';
  const error = await Warehouse.open({ ...model.settings, location, dataPath: model.directory }).then(
    () => null,
    (refused: unknown) => refused,
  );
  await model.close();
  expect(error).toMatchObject({
    message: 'the catalog cannot be reached; try again',
    cause: { message: 'connect ECONNREFUSED 127.0.0.1:1' },
  });
});

it('an error does not show the values of its statement', async () => {
  const test = await openDuckDb();
  const refused = test.warehouse.query('SELECT $revenue AS revenue, colour FROM cost_sources', {
    revenue: '6200.50',
  });
  const error: unknown = await refused.catch((reason: unknown) => reason);
  await test.close();
  expect(error).toMatchObject({ message: expect.stringContaining('"colour" not found') as string });
  expect(error instanceof Error && error.stack).not.toMatch(/6200|SELECT/);
});
