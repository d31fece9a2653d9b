import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { LAKE, lacking } from '../needs.ts';
import { fileSettings, lakeSettings, newDatabase, psql } from '../warehouse/engines.ts';

/** Empty warehouses with the current schema. Tests copy them, because making a DuckLake takes seconds. */
export interface Templates {
  /** The folder of a DuckDB file. */
  file: string;
  /** Null without Postgres. */
  lake: { database: string; directory: string } | null;
}

declare module 'vitest' {
  interface ProvidedContext {
    templates: Templates;
  }
}

/** Makes the templates once, before all tests. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-templates-'));
  const file = join(directory, 'file');
  (await Warehouse.open(fileSettings(file))).close();
  const lake =
    lacking(...LAKE) === '' ? { database: newDatabase(), directory: join(directory, 'lake') } : null;
  if (lake !== null) {
    await psql('postgres', `CREATE DATABASE ${lake.database}`);
    (await Warehouse.open(lakeSettings(lake.directory, lake.database))).close();
  }
  provide('templates', { file, lake });
  return () => rm(directory, { recursive: true, force: true });
}
