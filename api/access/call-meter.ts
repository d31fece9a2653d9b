import { dayOf, secondsToMidnight, type Day } from '../../domain/shared/calendar.ts';
import { shareNextRun } from '../../domain/shared/share-next-run.ts';
import type { Clock } from '../../domain/shared/clock.ts';
import { DAILY_CALLS } from '../../domain/organisations/tiers.ts';
import { countCalls, recordCalls, type Calls } from '../../warehouse/organisations/api-calls.ts';
import type { KeyHolder } from '../../warehouse/organisations/api-keys.ts';
import type { Derived } from '../../warehouse/engine/states/memory.ts';
import { byOthers, type Look } from '../../warehouse/engine/states/states.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';

/** An organisation's daily quota. `limit` and `remaining` are null on an unlimited tier. */
export interface Quota {
  limit: number | null;
  used: number;
  remaining: number | null;
  resetSeconds: number;
}

/** A counted call. */
export interface MeteredCall {
  admitted: boolean;
  quota: Quota;
  /** Resolves once the count is stored, so that a restart forgets no answered call of a limited tier; null on others. */
  stored: Promise<void> | null;
}

/** The calls of an organisation on the day of its last call. */
interface DayCount {
  day: Day;
  used: number;
}

/** The calls that were stored when it was last read. Those that this process has stored since are in its own count. */
const STORED_CALLS: Derived<number> = {
  name: 'stored calls of a day',
  from: [byOthers('api_calls')],
  bytesOf: () => 0,
};

/** How long counts of unlimited tiers, and uses by sessions, may wait in memory. No decision depends on them. */
const LAZY_DELAY_MS = 1_000;

/**
 * Counts calls against the daily quota of their organisation (spec §8). Calls that arrive during a commit share the next
 * commit. Once another node has stored calls, the next call here reads the stored total. So several nodes together keep one
 * limit, apart from the calls that run at that moment.
 */
export class CallMeter {
  readonly #warehouse: Warehouse;
  readonly #clock: Clock;
  readonly #days = new Map<string, DayCount>();
  #pending = new Map<string, Calls>();
  readonly #store = shareNextRun((_: readonly undefined[]) => this.#commitPending());
  #timer: NodeJS.Timeout | null = null;

  constructor(warehouse: Warehouse, clock: Clock) {
    this.#warehouse = warehouse;
    this.#clock = clock;
  }

  /** Checks one call against the quota and counts it. A rejected call does not count (contract §1). */
  async count(holder: KeyHolder, look: Look): Promise<MeteredCall> {
    const now = this.#clock.now();
    const today = await this.#upToDate(holder.organisation.id, dayOf(now), look);
    const limit = DAILY_CALLS[holder.organisation.tier];
    const admitted = limit === null || today.used < limit;
    let stored: Promise<void> | null = null;
    if (admitted) {
      today.used += 1;
      this.#add(callsOf(holder, 1, now));
      if (limit === null) this.#storeLater();
      else stored = this.#store(undefined);
    }
    return { admitted, quota: quotaOf(limit, today.used, now), stored };
  }

  /** Notes a use of a key that does not count against the quota, and returns the quota. */
  async noteUse(holder: KeyHolder, look: Look): Promise<Quota> {
    const now = this.#clock.now();
    const today = await this.#upToDate(holder.organisation.id, dayOf(now), look);
    this.#add(callsOf(holder, 0, now));
    this.#storeLater();
    return quotaOf(DAILY_CALLS[holder.organisation.tier], today.used, now);
  }

  /** Stores everything counted so far. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#store(undefined);
  }

  async #upToDate(orgId: string, day: Day, look: Look): Promise<DayCount> {
    const stored = await this.#warehouse.memory.recall(look, STORED_CALLS, orgId, day, () =>
      countCalls(this.#warehouse, orgId, day),
    );
    const known = this.#days.get(orgId);
    const today = known?.day === day ? known : { day, used: 0 };
    this.#days.set(orgId, today);
    // Only this process knows the calls that it has not stored.
    today.used = Math.max(today.used, stored + this.#unstored(orgId, day));
    return today;
  }

  #add(call: Calls): void {
    const id = `${call.orgId} ${call.day} ${call.keyId}`;
    const before = this.#pending.get(id);
    this.#pending.set(id, { ...call, calls: call.calls + (before?.calls ?? 0) });
  }

  #storeLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      // After a failure the counts stay pending, and the next commit stores them.
      this.#store(undefined).catch((error: unknown) => error);
    }, LAZY_DELAY_MS).unref();
  }

  async #commitPending(): Promise<void> {
    const batch = this.#pending;
    if (batch.size === 0) return;
    this.#pending = new Map();
    try {
      await recordCalls(this.#warehouse, [...batch.values()]);
    } catch (error) {
      for (const call of batch.values()) this.#add(call);
      throw error;
    }
  }

  /** Returns the number of an organisation's calls that are not stored yet. */
  #unstored(orgId: string, day: Day): number {
    let calls = 0;
    for (const call of this.#pending.values())
      if (call.orgId === orgId && call.day === day) calls += call.calls;
    return calls;
  }
}

const callsOf = ({ organisation, key }: KeyHolder, calls: number, now: Date): Calls => ({
  orgId: organisation.id,
  day: dayOf(now),
  keyId: key.id,
  calls,
  lastCallAt: now.toISOString(),
});

const quotaOf = (limit: number | null, used: number, now: Date): Quota => ({
  limit,
  used,
  remaining: limit === null ? null : Math.max(0, limit - used),
  resetSeconds: secondsToMidnight(now),
});
