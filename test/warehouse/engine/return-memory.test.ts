import { expect, it } from 'vitest';
import { openDuckDb } from '../../support/warehouse/engines.ts';

it('returns freed memory once after statements, and keeps the memory limit', async () => {
  const { warehouse, close } = await openDuckDb();
  const limit = () => warehouse.query(`SELECT current_setting('memory_limit') AS memory`);
  const before = await limit();
  const statements: string[] = [];
  warehouse.observer = {
    began: (_kind, sql) => {
      statements.push(sql);
      return () => undefined;
    },
    waited: () => undefined,
  };
  await warehouse.returnMemory();
  await warehouse.returnMemory();
  expect(statements).toEqual([expect.stringMatching(/^SET GLOBAL memory_limit = /)]);
  expect(await limit()).toEqual(before);
  await warehouse.returnMemory();
  expect(statements).toHaveLength(3);
  await close();
});
