import { CatalogDecisions } from './catalog-decisions.ts';
import type { Decisions } from './decisions.ts';

/** Ends a turn. Does nothing the second time. */
export type EndTurn = () => void;

/** Lets transactions take turns. */
export interface Turns {
  /** Waits for the turn of a transaction, and returns how to end it. */
  take: () => Promise<EndTurn>;
  close: () => void;
}

/** Where transactions do not meet, because DuckDB merges what they write. */
export const NO_TURNS: Turns = { take: () => Promise.resolve(() => undefined), close: () => undefined };

const PATIENCE_S = 10;

/**
 * Lets the transactions of all nodes of a DuckLake go one after the other. Two that meet are correct without it, but slow: the
 * later one repeats its commit, and each time reads all snapshots of the catalog. So nothing depends on a turn, and a transaction
 * that gets none goes on. Postgres ends the turn of a node that hangs, so that the others wait for it only once.
 */
export class CommitTurns implements Turns {
  readonly #decisions: Decisions;
  readonly #patienceS: number;

  /**
   * @param catalog the connection string of the catalog.
   * @param patienceS how long a turn lasts at most, and how long the first transaction in line waits for one, in seconds.
   */
  constructor(catalog: string, patienceS = PATIENCE_S) {
    this.#decisions = new CatalogDecisions(catalog, 1, patienceS);
    this.#patienceS = patienceS;
  }

  take(): Promise<EndTurn> {
    return new Promise((begin) => {
      const held = () =>
        new Promise<void>((end) => {
          begin(end);
        });
      this.#decisions.alone(['commit'], held, this.#patienceS).catch(() => {
        begin(() => undefined);
      });
    });
  }

  close(): void {
    this.#decisions.close();
  }
}
