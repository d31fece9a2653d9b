import type { Day } from '../../domain/shared/calendar.ts';
import type { DecimalText } from '../../domain/shared/decimals.ts';
import type { Sealer } from '../../security/sealing.ts';
import { requireOpeningKey } from '../engine/records/require-key.ts';
import type { Queries } from '../engine/session.ts';

/** Where a sealed value of revenue is stored: one change of one day or month. */
export interface ValuePlace {
  metric_id: string;
  period: Day;
  change_id: string;
}

/** Where the sealed numbers of a locked month are stored. `month` is its first day. */
export interface LockPlace {
  metric_id: string;
  month: Day;
  lock_id: string;
}

/** The frozen numbers of a locked month of revenue. */
export interface LockedNumbers {
  cost: DecimalText;
  value: DecimalText;
  unit_cost: DecimalText | null;
}

/** Texts are padded to multiples of this, so that the length of a sealed text does not show how large a number is. */
const PADDED_TO = 64;

const padded = (text: string): string => text.padEnd(Math.ceil(text.length / PADDED_TO) * PADDED_TO);

/**
 * Seals and opens an organisation's revenue. Each text is bound to the row that holds it
 * (docs/concepts.md#revenue-and-who-sees-it). What opens a text returns null if the master keys do not open it, or if it was
 * changed. Whoever holds a vault can read revenue: the API makes one only for a caller who may see it
 * (api/access/revenue-access.ts).
 */
export class RevenueVault {
  readonly #sealer: Sealer;
  readonly #orgId: string;

  constructor(sealer: Sealer, orgId: string) {
    this.#sealer = sealer;
    this.#orgId = orgId;
  }

  /** Throws if texts that the vault seals could not be opened; see {@link requireOpeningKey}. */
  requireOpeningKey(session: Queries): Promise<void> {
    return requireOpeningKey(session, this.#sealer);
  }

  sealValue(place: ValuePlace, value: DecimalText): string {
    return this.#sealer.seal(placeOfValue(this.#orgId, place), padded(value));
  }

  openValue(place: ValuePlace, sealed: string): DecimalText | null {
    return this.#sealer.openOrNull(placeOfValue(this.#orgId, place), sealed)?.trimEnd() ?? null;
  }

  sealLock(place: LockPlace, numbers: LockedNumbers): string {
    return this.#sealer.seal(placeOfLock(this.#orgId, place), padded(JSON.stringify(numbers)));
  }

  /** Seals what a run of an import does not count, as JSON. */
  sealUncounted(runId: string, uncounted: string): string {
    return this.#sealer.seal(placeOfUncounted(this.#orgId, runId), uncounted);
  }

  openUncounted(runId: string, sealed: string): string | null {
    return this.#sealer.openOrNull(placeOfUncounted(this.#orgId, runId), sealed);
  }

  openLock(place: LockPlace, sealed: string): LockedNumbers | null {
    const text = this.#sealer.openOrNull(placeOfLock(this.#orgId, place), sealed);
    return text === null ? null : (JSON.parse(text) as LockedNumbers);
  }
}

/** The place to which a sealed value of revenue is bound. */
const placeOfValue = (orgId: string, { metric_id, period, change_id }: ValuePlace) => ({
  orgId,
  record: `${metric_id} ${period} ${change_id}`,
  field: 'revenue',
});

/** The place to which the sealed numbers of a locked month are bound. */
const placeOfLock = (orgId: string, { metric_id, month, lock_id }: LockPlace) => ({
  orgId,
  record: `${metric_id} ${month} ${lock_id}`,
  field: 'locked month',
});

/** The place to which the sealed totals of a run are bound. The field is part of each seal, so that its name never changes. */
const placeOfUncounted = (orgId: string, runId: string) => ({
  orgId,
  record: runId,
  field: 'other currencies',
});
