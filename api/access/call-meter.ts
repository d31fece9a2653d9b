import { dayOf, secondsToMidnight, type Day } from '../../domain/shared/calendar.ts';
import { shareNextRun } from '../../domain/shared/share-next-run.ts';
import type { Clock } from '../../domain/shared/clock.ts';
import { DAILY_CALLS, FREE_SESSION_CALLS } from '../../domain/organisations/tiers.ts';
import {
  countCalls,
  countSessionCalls,
  recordCalls,
  type Calls,
} from '../../warehouse/organisations/api-calls.ts';
import type { KeyHolder } from '../../warehouse/organisations/api-keys.ts';
import type { Derived } from '../../warehouse/engine/cache/derived-cache.ts';
import { byOthers, type Revisions } from '../../warehouse/engine/cache/revisions.ts';
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

/** A key's free calls in sessions that were stored when they were last read. */
const STORED_SESSION_CALLS: Derived<number> = { ...STORED_CALLS, name: 'stored session calls of a day' };

/** How long counts of unlimited tiers, and uses by sessions, may wait in memory. No decision depends on them. */
const LAZY_DELAY_MS = 1_000;

/**
 * Counts calls against the daily quota of their organisation (docs/http.md#sign-in-with-a-key). Calls that arrive during a
 * commit share the next commit. Once another node has stored calls, the next call here reads the stored total. So several nodes
 * together keep one limit, apart from the calls that run at that moment.
 */
export class CallMeter {
  readonly #warehouse: Warehouse;
  readonly #clock: Clock;
  readonly #days = new Map<string, DayCount>();
  /** Free calls in sessions, by key. */
  readonly #sessionDays = new Map<string, DayCount>();
  #pending = new Map<string, Calls>();
  readonly #store = shareNextRun((_: readonly undefined[]) => this.#commitPending());
  #timer: NodeJS.Timeout | null = null;

  constructor(warehouse: Warehouse, clock: Clock) {
    this.#warehouse = warehouse;
    this.#clock = clock;
  }

  /** Checks one call against the quota and counts it. A rejected call does not count. */
  async count(holder: KeyHolder, revisions: Revisions): Promise<MeteredCall> {
    const now = this.#clock.now();
    const today = await this.#upToDate(holder.organisation.id, dayOf(now), revisions);
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

  /**
   * Counts a call of a browser session. The first calls of a day are free, over all sessions of a key. All others count like
   * calls with the key, so that nobody goes round the quota with a session (docs/http.md#browser-session).
   */
  async countInSession(holder: KeyHolder, revisions: Revisions): Promise<MeteredCall> {
    const limit = DAILY_CALLS[holder.organisation.tier];
    const now = this.#clock.now();
    const free = limit === null ? null : await this.#sessionCalls(holder, dayOf(now), revisions);
    if (free !== null && limit !== null && free.used >= limit * FREE_SESSION_CALLS)
      return this.count(holder, revisions);
    if (free !== null) free.used += 1;
    return { admitted: true, quota: await this.noteUse(holder, revisions, 1), stored: null };
  }

  /** Notes a use of a key that does not count against the quota, and returns the quota. */
  async noteUse(holder: KeyHolder, revisions: Revisions, sessionCalls = 0): Promise<Quota> {
    const now = this.#clock.now();
    const today = await this.#upToDate(holder.organisation.id, dayOf(now), revisions);
    this.#add({ ...callsOf(holder, 0, now), sessionCalls });
    this.#storeLater();
    return quotaOf(DAILY_CALLS[holder.organisation.tier], today.used, now);
  }

  /** Stores everything counted so far. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#store(undefined);
  }

  async #upToDate(orgId: string, day: Day, revisions: Revisions): Promise<DayCount> {
    const stored = await this.#warehouse.cache.cached(revisions, STORED_CALLS, orgId, day, () =>
      countCalls(this.#warehouse, orgId, day),
    );
    const unstored = this.#unstored((call) => (call.orgId === orgId && call.day === day ? call.calls : 0));
    return raisedTo(stored + unstored, day, orgId, this.#days);
  }

  async #sessionCalls({ organisation, key }: KeyHolder, day: Day, revisions: Revisions): Promise<DayCount> {
    const of = { orgId: organisation.id, keyId: key.id };
    const stored = await this.#warehouse.cache.cached(
      revisions,
      STORED_SESSION_CALLS,
      of.orgId,
      `${day} ${of.keyId}`,
      () => countSessionCalls(this.#warehouse, of, day),
    );
    const unstored = this.#unstored((call) =>
      call.keyId === of.keyId && call.day === day ? call.sessionCalls : 0,
    );
    return raisedTo(stored + unstored, day, of.keyId, this.#sessionDays);
  }

  #add(call: Calls): void {
    const id = `${call.orgId} ${call.day} ${call.keyId}`;
    const before = this.#pending.get(id);
    this.#pending.set(id, {
      ...call,
      calls: call.calls + (before?.calls ?? 0),
      sessionCalls: call.sessionCalls + (before?.sessionCalls ?? 0),
    });
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

  /** Adds up calls that are not stored yet. */
  #unstored(callsIn: (call: Calls) => number): number {
    let calls = 0;
    for (const call of this.#pending.values()) calls += callsIn(call);
    return calls;
  }
}

/** Returns the count of a day, raised to what is known now. Only this process knows the calls that it has not stored. */
function raisedTo(known: number, day: Day, id: string, days: Map<string, DayCount>): DayCount {
  const before = days.get(id);
  const today = before?.day === day ? before : { day, used: 0 };
  days.set(id, today);
  today.used = Math.max(today.used, known);
  return today;
}

const callsOf = ({ organisation, key }: KeyHolder, calls: number, now: Date): Calls => ({
  orgId: organisation.id,
  day: dayOf(now),
  keyId: key.id,
  calls,
  sessionCalls: 0,
  lastCallAt: now.toISOString(),
});

const quotaOf = (limit: number | null, used: number, now: Date): Quota => ({
  limit,
  used,
  remaining: limit === null ? null : Math.max(0, limit - used),
  resetSeconds: secondsToMidnight(now),
});
