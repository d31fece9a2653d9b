import { mkdir, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Day } from '../../../domain/shared/calendar.ts';
import { DEFAULT_RISE_RULE } from '../../../domain/events/daily-rise.ts';
import type { DecimalText } from '../../../domain/shared/decimals.ts';
import { newId } from '../../../warehouse/engine/sql/ids.ts';
import {
  createCostSource,
  type CostSource,
  type NewCostSource,
} from '../../../warehouse/sources/cost-sources.ts';
import { describeFile } from './describe-file.ts';
import type { ExportFile } from '../../../warehouse/sources/feeds/export-files.ts';
import { stageFocus, type FocusExport } from '../../../warehouse/sources/focus/focus-load.ts';
import {
  beginLoad,
  type Load,
  type LoadResult,
  type LoadScope,
  type StagedLoad,
} from '../../../warehouse/sources/publishing/load.ts';
import { withOwnReader, type LoadSessions } from '../../../warehouse/engine/readers/load-sessions.ts';
import { createMetric, type Metric } from '../../../warehouse/metrics/metrics.ts';
import { createOrganisation, type Organisation } from '../../../warehouse/organisations/organisations.ts';
import type { Session } from '../../../warehouse/engine/session.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import type { TestWarehouse } from './engines.ts';
import { freeName } from '../service/free-name.ts';
import { publishLoad } from '../../../warehouse/sources/publishing/publish-load.ts';

/** The default time of tests: all of January 2026 and February's first days are over. */
export const NOW = new Date('2026-02-07T06:00:00Z');

/** The actor that makes what a test begins with. */
export const ADMIN = { type: 'key', id: 'key_admin', name: 'Admin' } as const;
export const BY_ADMIN = { actor: ADMIN, now: NOW };

/** Makes an organisation. Each test has its own, so that tests can share a warehouse. */
export async function newOrganisation(
  warehouse: Warehouse,
  changes: Partial<Omit<Organisation, 'id'>> = {},
): Promise<Organisation> {
  const organisation: Organisation = {
    id: newId('org'),
    name: 'Acme',
    tier: 'enterprise',
    currency: 'USD',
    settle_days: 5,
    ...changes,
  };
  await warehouse.session((session) => createOrganisation(session, organisation, NOW));
  return organisation;
}

export const newSource = (
  warehouse: Warehouse,
  orgId: string,
  changes: Partial<NewCostSource> = {},
  now: Date = NOW,
): Promise<CostSource> =>
  createCostSource(
    warehouse,
    orgId,
    {
      name: freeName(orgId, 'Bill'),
      kind: 'focus',
      location: '/exports/focus',
      currency: null,
      options: { cost_column: 'EffectiveCost' },
      schedule_paused: false,
      starts_on: null,
      ...changes,
    } as NewCostSource,
    { actor: ADMIN, now },
  );

export const newMetric = (
  warehouse: Warehouse,
  orgId: string,
  changes: Partial<Omit<Metric, 'id' | 'created_at'>> = {},
  now: Date = NOW,
): Promise<Metric> =>
  createMetric(
    warehouse,
    orgId,
    {
      name: freeName(orgId, 'Orders'),
      unit: 'order',
      kind: 'count',
      aggregation: 'total',
      frequency: 'daily',
      scope: { type: 'organisation' },
      target: null,
      label_key: null,
      currency: null,
      assistant_access: false,
      rise: DEFAULT_RISE_RULE,
      ...changes,
    },
    { actor: ADMIN, now },
  );

/** Writes files into a new folder of the warehouse's directory, and returns their paths in the given order. */
export async function writeFiles(
  { directory }: Pick<TestWarehouse, 'directory'>,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<string[]> {
  const folder = join(directory, 'exports', randomUUID());
  const paths: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    paths.push(path);
  }
  return paths;
}

/** The fields of a FOCUS load that may differ from the usual ones. */
export type LoadChanges = Partial<Omit<LoadScope & FocusExport, 'orgId' | 'sourceId' | 'files'>>;

/** Loads existing files, on a session of the warehouse or on the given one. The day on which they were written is not known unless given. */
export async function loadPaths(
  { warehouse }: Pick<TestWarehouse, 'warehouse'>,
  target: { orgId: string; sourceId: string },
  paths: readonly string[],
  changes: LoadChanges = {},
  on: { session?: Session; isCurrent?: boolean; writtenOn?: Day | readonly Day[] } = {},
): Promise<LoadResult> {
  const work = async (sessions: LoadSessions): Promise<LoadResult> => {
    const files: ExportFile[] = [];
    for (const [index, path] of paths.entries()) {
      const writtenOn = typeof on.writtenOn === 'object' ? on.writtenOn[index] : on.writtenOn;
      const written = writtenOn === undefined ? {} : { writtenOn };
      files.push({ ...(await describeFile(sessions.reader, path)), ...written });
    }
    const { costColumn = 'EffectiveCost', currency = 'USD', ...scope } = changes;
    return published(
      sessions,
      {
        runId: `run_${randomUUID()}`,
        startMonth: null,
        endMonth: null,
        acceptShrink: false,
        now: NOW,
        ...scope,
        ...target,
      },
      (load) => stageFocus(sessions, load, { files, costColumn, currency }),
      on.isCurrent,
    );
  };
  const load = (session: Session) => withOwnReader(warehouse.settings, (own) => work({ ...own, session }));
  return on.session === undefined ? warehouse.ownSession(load) : load(on.session);
}

/** Writes one export file and loads it. */
export const loadText = async (
  test: Pick<TestWarehouse, 'warehouse' | 'directory'>,
  target: { orgId: string; sourceId: string },
  text: string,
  changes: LoadChanges = {},
): Promise<LoadResult> => loadPaths(test, target, await writeFiles(test, { 'focus.csv': text }), changes);

/** Returns an organisation's cloud spend by day, from its published loads, as exact text with 15 decimals. */
export async function spendByDay(warehouse: Warehouse, orgId: string): Promise<Record<Day, DecimalText>> {
  const rows = await warehouse.query<{ day: Day; cost: DecimalText }>(
    `SELECT day, sum(cost) AS cost
     FROM cloud_spend JOIN current_loads USING (org_id, source_id, load_id, billing_period)
     WHERE org_id = $org GROUP BY day ORDER BY day`,
    { org: orgId },
  );
  return Object.fromEntries(rows.map(({ day, cost }) => [day, cost]));
}

/** Returns the days and costs of each account: `{ '1111': { '2026-01-10': '1.000000000000000' } }`. */
export async function spendByAccount(
  warehouse: Warehouse,
  orgId: string,
): Promise<Record<string, Record<Day, DecimalText>>> {
  const rows = await warehouse.query<{ account: string; day: Day; cost: DecimalText }>(
    `SELECT account, day, sum(cost) AS cost
     FROM cloud_spend JOIN current_loads USING (org_id, source_id, load_id, billing_period)
     WHERE org_id = $org GROUP BY account, day ORDER BY account, day`,
    { org: orgId },
  );
  const accounts: Record<string, Record<Day, DecimalText>> = {};
  for (const { account, day, cost } of rows) accounts[account] = { ...accounts[account], [day]: cost };
  return accounts;
}

/** Returns an amount of money as the warehouse writes it. */
export function money(amount: string): DecimalText {
  const [whole = '', decimals = ''] = amount.split('.');
  return `${whole}.${decimals.padEnd(15, '0')}`;
}

/** Stages a load and publishes it, without its months. For an aborted attempt it throws, and publishes nothing. */
export async function published(
  { session }: LoadSessions,
  scope: LoadScope,
  stage: (load: Load) => Promise<StagedLoad>,
  isCurrent = true,
): Promise<LoadResult> {
  const staged = await stage(await beginLoad(session, scope));
  if (!isCurrent) throw new Error('this attempt was given up; nothing was published');
  return publishLoad(session, staged);
}
