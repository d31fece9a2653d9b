import { isUnknownEnd } from '../engine/passing-failures.ts';
import { Together } from '../engine/together.ts';
import type { Warehouse } from '../engine/warehouse.ts';
import { labelsFit, storeGiven, type GivenChange } from './given-values.ts';
import { hasLabels, requireFit } from './label-key.ts';
import { valuesLock, type ChangeResult } from './value-changes.ts';

/** The most changes that commit together. */
const MOST_TOGETHER = 256;

/** How long changes of several metrics wait for all locks, in seconds. Then those of each metric wait by themselves. */
const PATIENCE_S = 1;

const lockOf = ({ of }: GivenChange): string => valuesLock(of.metricId);

/** Stores changes in one transaction, under the locks of all their metrics. */
function storeAll(warehouse: Warehouse, changes: readonly GivenChange[]): Promise<ChangeResult[]> {
  const locks = [...new Set(changes.map(lockOf))].sort();
  return warehouse.withLock(
    locks,
    async (confirm) => {
      const revisions = await warehouse.revisions();
      await Promise.all(
        changes.map(async ({ of, values }) => {
          requireFit(labelsFit(values, await hasLabels(warehouse, revisions, of)));
        }),
      );
      return warehouse.session((session) => session.transaction(() => storeGiven(session, changes), confirm));
    },
    locks.length > 1 ? PATIENCE_S : undefined,
  );
}

const ofWarehouse = new WeakMap<Warehouse, Together<GivenChange, ChangeResult>>();

/**
 * Stores a change of a few values. Those that come while others commit are stored next, in one transaction. A commit takes as long
 * for many rows as for one (docs/design.md#small-writes-commit-together).
 */
export function storeSmall(warehouse: Warehouse, change: GivenChange): Promise<ChangeResult> {
  let together = ofWarehouse.get(warehouse);
  if (together === undefined) {
    together = new Together(
      {
        all: (changes) => storeAll(warehouse, changes),
        lockOf,
        isHeld: (lock) => warehouse.isLocked(lock),
        mayRepeat: (error) => !isUnknownEnd(error),
      },
      MOST_TOGETHER,
    );
    ofWarehouse.set(warehouse, together);
  }
  return together.do(change);
}
