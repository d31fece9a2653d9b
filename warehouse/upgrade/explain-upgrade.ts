import Big from 'big.js';
import { addMonths, dayOf, monthOf, type Month } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import { sealBills } from '../teams/bills/bill-sealing.ts';
import { NEWEST_VERSION } from '../engine/migrations/migrations.ts';
import { schemaVersionOf } from '../engine/migrations/schema-version.ts';
import { listOrganisations } from '../organisations/organisations.ts';
import { settleMonths } from '../months/settlement.ts';
import { inWords, shownMonths, type ShownMonths, type ShownNumber } from './shown-numbers.ts';
import { withCopy } from './warehouse-copy.ts';
import { isDuckLake } from '../engine/location.ts';
import { Warehouse, type WarehouseSettings } from '../engine/warehouse.ts';

/** How many months are compared. The running month is left out, because its numbers change every day. */
const MONTHS = 12;

export interface ChangedNumber {
  organisation: string;
  of: ShownNumber['of'];
  name: string;
  month: Month;
  before: { cost: DecimalText | null; status: string | null };
  after: { cost: DecimalText | null; status: string | null };
  /** Why it changes, in words. */
  reason: string;
}

export interface ExplainedUpgrade {
  /** 0 if there is no warehouse yet. */
  version: number;
  newest: number;
  changes: ChangedNumber[];
  /** How many months are locked. No locked month changes. */
  lockedMonths: number;
}

/** Returns the version of a warehouse's schema, without changing it. */
export async function schemaVersion(
  settings: WarehouseSettings,
): Promise<{ version: number; newest: number }> {
  const warehouse = await Warehouse.open(settings, []);
  try {
    return { version: await schemaVersionOf(warehouse), newest: NEWEST_VERSION };
  } finally {
    warehouse.close();
  }
}

/**
 * Upgrades a copy of a warehouse's file, and compares the numbers of the last twelve ended months before and after. It only
 * reads the warehouse itself, which no other process may use. Returns null for a DuckLake, because that cannot be copied.
 */
export async function explainUpgrade(
  settings: WarehouseSettings,
  now: Date,
): Promise<ExplainedUpgrade | null> {
  if (isDuckLake(settings.location)) return null;
  const explained = await withCopy(settings, (copy) => explainOn(copy, now));
  return explained ?? { version: 0, newest: NEWEST_VERSION, changes: [], lockedMonths: 0 };
}

async function explainOn(copy: WarehouseSettings, now: Date): Promise<ExplainedUpgrade> {
  const { version, newest } = await schemaVersion(copy);
  const last = addMonths(monthOf(dayOf(now)), -1);
  const warehouse = await Warehouse.open(copy);
  try {
    const changes: ChangedNumber[] = [];
    let lockedMonths = 0;
    for (const organisation of await listOrganisations(warehouse)) {
      const { id, name } = organisation;
      const show = () => shownMonths(warehouse, organisation, { newest: last, count: MONTHS }, now);
      const before = await show();
      await settleMonths(warehouse, id, now);
      await sealBills(warehouse, id, now);
      const after = await show();
      changes.push(...changesOf(name, before, after, { version, newest }));
      lockedMonths += before.numbers.filter(({ status }) => isLocked(status)).length;
    }
    return { version, newest, changes, lockedMonths };
  } finally {
    warehouse.close();
  }
}

const keyOf = ({ of, id, month }: Pick<ShownNumber, 'of' | 'id' | 'month'>): string => `${of} ${id} ${month}`;

const isLocked = (status: string | null): boolean => status === 'locked' || status === 'changed_since_lock';

interface Versions {
  version: number;
  newest: number;
}

function changesOf(
  organisation: string,
  before: ShownMonths,
  after: ShownMonths,
  versions: Versions,
): ChangedNumber[] {
  const then = new Map(before.numbers.map((number) => [keyOf(number), number]));
  return after.numbers.flatMap((number): ChangedNumber[] => {
    const { of, name, month, cost, status } = number;
    const was = then.get(keyOf(number));
    if (was === undefined || (was.status === status && isSameCost(was.cost, cost))) return [];
    const reason = reasonOf(number, isSameCost(was.cost, cost), before, after, versions);
    const numbers = { before: { cost: was.cost, status: was.status }, after: { cost, status } };
    return [{ organisation, of, name, month, ...numbers, reason }];
  });
}

const isSameCost = (before: DecimalText | null, after: DecimalText | null): boolean =>
  before === null || after === null ? before === after : Big(before).eq(after);

/** Returns why a number changes: its own reason, and if its cost changes, new counting rules and new notes on assets. */
function reasonOf(
  { month, status, reason }: ShownNumber,
  isCostSame: boolean,
  before: ShownMonths,
  after: ShownMonths,
  { version, newest }: Versions,
): string {
  const own = reason === null ? [] : [reason];
  // A month that settles has final numbers and no reason of its own.
  const isFinal = status === 'ready_to_lock' || status === 'sealed';
  if (isCostSame && isFinal) return [...own, 'the month has settled'].join('; ');
  const [rulesBefore, rulesAfter] = [before.rules.get(month), after.rules.get(month)];
  const changed = `the counting rules changed from ${inVersion(rulesBefore, version)} to ${inVersion(rulesAfter, newest)}`;
  const isCountedAnew = rulesBefore !== undefined && rulesAfter !== undefined && rulesBefore !== rulesAfter;
  const known = before.notes.get(month) ?? [];
  const decided = (after.notes.get(month) ?? []).filter((note) => !known.includes(note));
  const moved = isCostSame ? [] : [...(isCountedAnew ? [changed] : []), ...decided];
  return inWords([...own, ...moved]) ?? changed;
}

const inVersion = (rules: number | undefined, version: number): string =>
  rules === undefined ? `those of version ${version}` : `${rules} (version ${version})`;
