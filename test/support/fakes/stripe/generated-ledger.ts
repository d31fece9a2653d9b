import type { Ledger } from '../../../../demo/stripe/ledger.ts';

/** A ledger that is never stored. The same options give the same transactions. */
export interface GeneratedLedgerOptions {
  seed: number;
  length: number;
  /** Seconds since 1970, of the oldest transaction and of the newest. */
  oldest: number;
  newest: number;
  /** Lower case. The first is the most common. */
  currencies: readonly string[];
  /** Reporting categories. Half of the transactions have the first. */
  categories: readonly string[];
  /** The largest amount, in minor units. Amounts of the first category are positive, the others of either sign. */
  mostUnits: number;
}

const GENERATED_ID = /^txn_g([0-9a-z]{6,})$/;

/** Returns a ledger that computes each transaction from its index, so that a million of them take no memory. */
export function generatedLedger(options: GeneratedLedgerOptions): Ledger {
  const { seed, length, oldest, newest, currencies, categories, mostUnits } = options;
  const step = length < 2 ? 0 : (newest - oldest) / (length - 1);
  return {
    length,
    at: (index) => {
      const random = randomFrom(seed, index);
      const isFirst = random() < 0.5;
      const category = isFirst ? 0 : Math.floor(random() * categories.length);
      // The square makes the first currencies more common.
      const currency = Math.floor(random() ** 2 * currencies.length);
      const units = Math.floor(random() * (mostUnits + 1));
      return {
        id: idOf(index),
        amount: category === 0 || random() < 0.5 ? units : 0 - units,
        created: newest - Math.round(index * step),
        currency: found(currencies[currency], index),
        reporting_category: found(categories[category], index),
      };
    },
    indexOf: (id) => {
      const index = parseInt(GENERATED_ID.exec(id)?.[1] ?? '', 36);
      return index < length && idOf(index) === id ? index : -1;
    },
  };
}

function found(item: string | undefined, index: number): string {
  if (item === undefined) throw new Error(`the options have nothing for transaction ${index}`);
  return item;
}

const idOf = (index: number): string => `txn_g${index.toString(36).padStart(6, '0')}`;

/** Returns random numbers from 0 until before 1, the same for the same seed and index (mulberry32). */
function randomFrom(seed: number, index: number): () => number {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(index + 1, 0xc2b2ae35)) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
