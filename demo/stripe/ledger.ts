import type { BalanceTransaction } from '../../domain/imports/stripe/net-sales-progress.ts';

/** The balance transactions of an account, the newest first. Index 0 is the newest. */
export interface Ledger {
  readonly length: number;
  at: (index: number) => BalanceTransaction;
  /** Returns -1 for an id that the ledger does not have. */
  indexOf: (id: string) => number;
}

/** Returns a ledger of given transactions. Of two in the same second, the later in the list is newer. */
export function ledgerOf(transactions: readonly BalanceTransaction[]): Ledger {
  const newestFirst = [...transactions].reverse().sort((one, other) => other.created - one.created);
  const indexes = new Map(newestFirst.map(({ id }, index) => [id, index]));
  return {
    length: newestFirst.length,
    at: (index) => {
      const transaction = newestFirst[index];
      if (transaction === undefined) throw new Error(`the ledger has no transaction ${index}`);
      return transaction;
    },
    indexOf: (id) => indexes.get(id) ?? -1,
  };
}
