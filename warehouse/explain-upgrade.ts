import { constants } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Big from 'big.js';
import { addMonths, dayOf, firstDay, monthOf, type Month } from '../domain/calendar.ts';
import { cameAfterSeal, fullyLoaded } from '../domain/bill.ts';
import type { DecimalText } from '../domain/decimals.ts';
import { monthRecords } from '../domain/month-record.ts';
import { sealBills } from './bill-sealing.ts';
import { monthBills } from './bills.ts';
import { listMetrics } from './metrics.ts';
import { MIGRATIONS } from './migrations.ts';
import { monthFacts } from './months.ts';
import { numbersOfVersion7, type OldNumber } from './numbers-of-version-7.ts';
import { listOrganisations, type Organisation } from './organisations.ts';
import { settleMonths } from './settlement.ts';
import { listTeams } from './teams.ts';
import { Warehouse, type WarehouseSettings } from './warehouse.ts';

/** Months that are compared, the running one left out: its numbers move every day. */
const MONTHS = 12;

/** The last version whose numbers followed other rules. */
const OLD_RULES = 7;

/** A number that the upgrade changes. */
export interface ChangedNumber {
  organisation: string;
  of: OldNumber['of'];
  name: string;
  month: Month;
  before: { cost: DecimalText | null; status: string };
  after: { cost: DecimalText | null; status: string; reason: string | null };
}

/** What an upgrade of a warehouse would do. */
export interface ExplainedUpgrade {
  version: number;
  newest: number;
  changes: ChangedNumber[];
  /** Locked months, of which none moves. */
  lockedMonths: number;
}

/** The version of a warehouse's schema, which opening it here does not change. */
export const schemaVersion = async (
  settings: WarehouseSettings,
): Promise<{ version: number; newest: number }> => {
  const warehouse = await Warehouse.open(settings, []);
  try {
    const [row] = await warehouse.query<{ version: number | null }>(
      'SELECT max(version) AS version FROM schema_migrations',
    );
    return { version: row?.version ?? 0, newest: MIGRATIONS.at(-1)?.version ?? 0 };
  } finally {
    warehouse.close();
  }
};

/**
 * Upgrades a copy of a warehouse's file and compares the numbers of the last twelve ended months before and after. The
 * warehouse itself stays as it is; no other process may use it. Null for a DuckLake, of which no copy can be made here.
 */
export const explainUpgrade = async (
  settings: WarehouseSettings,
  now: Date,
): Promise<ExplainedUpgrade | null> => {
  if (settings.location.startsWith('ducklake:')) return null;
  const { version, newest } = await schemaVersion(settings);
  if (version === 0 || version > OLD_RULES) return { version, newest, changes: [], lockedMonths: 0 };
  const directory = await mkdtemp(join(settings.spillDirectory, 'upgrade-'));
  try {
    const copy = { ...settings, location: join(directory, 'warehouse.duckdb') };
    await copyFile(settings.location, copy.location, constants.COPYFILE_FICLONE);
    await copyFile(`${settings.location}.wal`, `${copy.location}.wal`).catch(unlessMissing);
    const before = await oldNumbers(copy, now);
    const after = await newNumbers(copy, now);
    const changes = before.flatMap(({ organisation, number }) => {
      const key = keyOf(number);
      const found = after.get(key);
      if (found === undefined || isSame(number, found)) return [];
      const { of, name, month, cost, status } = number;
      return [{ organisation, of, name, month: monthOf(month), before: { cost, status }, after: found }];
    });
    const lockedMonths = before.filter(({ number }) =>
      ['locked', 'changed_since_lock'].includes(number.status),
    ).length;
    return { version, newest, changes, lockedMonths };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

/** A file that was closed cleanly has no write-ahead log. */
const unlessMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};

const keyOf = ({ id, month }: Pick<OldNumber, 'id' | 'month'>): string => `${id} ${monthOf(month)}`;

const isSame = (
  before: Pick<OldNumber, 'cost' | 'status'>,
  after: { cost: DecimalText | null; status: string },
): boolean =>
  before.status === after.status &&
  (before.cost === null || after.cost === null
    ? before.cost === after.cost
    : Big(before.cost).eq(after.cost));

const oldNumbers = async (settings: WarehouseSettings, now: Date) => {
  // Versions before the one whose numbers are read only lacked columns.
  const warehouse = await Warehouse.open(
    settings,
    MIGRATIONS.filter(({ version }) => version <= OLD_RULES),
  );
  try {
    const newest = addMonths(monthOf(dayOf(now)), -1);
    const range = { first: firstDay(addMonths(newest, 1 - MONTHS)), last: firstDay(newest) };
    const found: { organisation: string; number: OldNumber }[] = [];
    for (const { id, name } of await listOrganisations(warehouse)) {
      const numbers = await warehouse.session((session) => numbersOfVersion7(session, id, range));
      found.push(...numbers.map((number) => ({ organisation: name, number })));
    }
    return found;
  } finally {
    warehouse.close();
  }
};

const newNumbers = async (settings: WarehouseSettings, now: Date) => {
  const warehouse = await Warehouse.open(settings);
  try {
    const found = new Map<string, ChangedNumber['after']>();
    for (const organisation of await listOrganisations(warehouse))
      for (const [key, number] of await numbersNow(warehouse, organisation, now)) found.set(key, number);
    return found;
  } finally {
    warehouse.close();
  }
};

const numbersNow = async (
  warehouse: Warehouse,
  { id, settle_days }: Organisation,
  now: Date,
): Promise<[string, ChangedNumber['after']][]> => {
  await settleMonths(warehouse, id, now);
  await sealBills(warehouse, id, now);
  const range = { newest: addMonths(monthOf(dayOf(now)), -1), count: MONTHS };
  return warehouse.transaction(async (session) => {
    const metrics = await listMetrics(session, id);
    const facts = await monthFacts(
      session,
      id,
      metrics.map((metric) => metric.id),
      range,
    );
    const ofMetrics = metrics.flatMap((metric) => {
      const months = facts.get(metric.id) ?? [];
      return monthRecords(months, metric, { settleDays: settle_days }, now).map(
        ({ month, status, reason }): [string, ChangedNumber['after']] => {
          const fact = months.find((one) => one.month === month);
          return [`${metric.id} ${month}`, { cost: fact?.lock?.cost ?? fact?.cost ?? null, status, reason }];
        },
      );
    });
    const teams = await listTeams(session, id);
    const ofTeams = (await monthBills(session, id, range)).flatMap(({ month, status, bills }) =>
      teams.map((team): [string, ChangedNumber['after']] => {
        const bill = bills?.get(team.id);
        const late = { cost: null, status: 'waiting', reason: cameAfterSeal(month) };
        const unknown = { cost: null, status, reason: null };
        const without = status === 'sealed' ? late : unknown;
        return [
          `${team.id} ${month}`,
          bill === undefined ? without : { cost: fullyLoaded(bill), status, reason: bill.reason },
        ];
      }),
    );
    return [...ofMetrics, ...ofTeams];
  });
};
