import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { hasDuckLake, lakeSettings, psql } from './engines.ts';
import { Warehouse } from '../../warehouse/warehouse.ts';

/** A DuckLake whose schema is up to date, for others to begin as copies: to make one takes seconds. */
export interface LakeTemplate {
  database: string;
  directory: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    lakeTemplate: LakeTemplate | null;
  }
}

/** Makes the template once, before all tests, where there is a Postgres. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  if (!hasDuckLake) {
    provide('lakeTemplate', null);
    return () => Promise.resolve();
  }
  const template = { database: 'lake_template', directory: await mkdtemp(join(tmpdir(), 'cost-analytics-lake-')) };
  await psql('postgres', `CREATE DATABASE ${template.database}`);
  const warehouse = await Warehouse.open(lakeSettings(template.directory, template.database));
  warehouse.close();
  provide('lakeTemplate', template);
  return () => rm(template.directory, { recursive: true, force: true });
}
