import type { Day, Month } from '../../../domain/shared/calendar.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import type { BillLine } from '../organisation-story.ts';
import type { CollectedLine } from './naive-rows.ts';

interface Choice {
  what: string;
  firstDay: Day;
  /** The day on which its last user released it; null while it is used. */
  releasedOn: Day | null;
}

const dayNumber = (day: Day): number => Date.parse(day) / 86_400_000;

/** Returns whether a choice is collected: while it is used, and for thirty days after that. */
const isKept = ({ releasedOn }: Choice, today: Day): boolean =>
  releasedOn === null || dayNumber(today) - dayNumber(releasedOn) <= 30;

/**
 * Tag keys and splits: one key per cloud, and one split per account. The first metric, team or shared cost that picks one sets
 * it, and the last user releases it. Later loads collect its values from its first day on. If it is picked again while it is
 * kept, it continues. Another choice replaces a released one immediately.
 */
export class NaiveChoices {
  readonly #inUse = new Map<string, Choice>();
  readonly #picks = new Map<string, readonly SpendPick[]>();

  /** Sets a user's picks. Returns false, and changes nothing, if they need another choice than the one in use. */
  use(user: string, picks: readonly SpendPick[], today: Day): boolean {
    const others = new Map<string, string>();
    for (const [other, theirs] of this.#picks)
      if (other !== user) for (const { of, what } of needs(theirs)) others.set(of, what);
    const needed = new Map<string, string>();
    for (const { of, what } of needs(picks)) {
      if ((needed.get(of) ?? others.get(of) ?? what) !== what) return false;
      needed.set(of, what);
    }
    for (const [of, what] of needed) {
      const before = this.#inUse.get(of);
      const goesOn = before?.what === what && isKept(before, today);
      this.#inUse.set(of, { what, firstDay: goesOn ? before.firstDay : today, releasedOn: null });
    }
    for (const [of, choice] of this.#inUse)
      if (!needed.has(of) && !others.has(of)) choice.releasedOn ??= today;
    this.#picks.set(user, picks);
    return true;
  }

  /** Returns the values that a load of today collects from a line. */
  collect(line: BillLine, today: Day): Pick<CollectedLine, 'split' | 'tag'> {
    const split = this.#since(`split of ${line.cloud} ${line.account}`, line.day, today);
    const key = this.#since(`tag of ${line.cloud}`, line.day, today);
    const kind = split === 'service' || split === 'resource_group' ? split : null;
    const group = kind === null ? null : kind === 'service' ? line.service : groupOf(line);
    const value = key === null ? null : (line.tags[key] ?? null);
    return {
      split: kind === null || group === null ? null : { kind, value: group },
      tag: key === null || value === null ? null : { key, value },
    };
  }

  /** Returns whether picks need values of a day of the month before their collection began. */
  isUncollected(picks: readonly SpendPick[], month: Month): boolean {
    return needs(picks).some(({ of }) => (this.#inUse.get(of)?.firstDay ?? '') > `${month}-01`);
  }

  /** Returns whether a pick in `by` begins within the month to take spend from a less specific one in `picks`. */
  isTakenFrom(picks: readonly SpendPick[], by: readonly SpendPick[], month: Month): boolean {
    return by.some((taker) =>
      needs([taker]).some(({ of }) => {
        const firstDay = this.#inUse.get(of)?.firstDay ?? '';
        const isWithin = firstDay.startsWith(month) && firstDay > `${month}-01`;
        return isWithin && picks.some((pick) => isContended(pick, taker));
      }),
    );
  }

  /** Returns whether a pick has values of any day up to `end`. A pick without a choice has all days. */
  isCollectedBy(pick: SpendPick, end: Day): boolean {
    return needs([pick]).every(({ of }) => (this.#inUse.get(of)?.firstDay ?? '') <= end);
  }

  #since(of: string, day: Day, today: Day): string | null {
    const choice = this.#inUse.get(of);
    return choice === undefined || !isKept(choice, today) || day < choice.firstDay ? null : choice.what;
  }
}

/** Returns whether `taker` is a more specific cloud pick that can take spend of `pick`: split before tag before account. */
function isContended(pick: SpendPick, taker: SpendPick): boolean {
  if (pick.source !== 'cloud' || taker.source !== 'cloud' || pick.cloud !== taker.cloud) return false;
  if (pick.service !== undefined || pick.resource_group !== undefined) return false;
  if (pick.tag !== undefined) return taker.tag === undefined;
  return taker.tag !== undefined || taker.account === pick.account;
}

/** Returns a line's resource group: its own, or that of its resource in Azure. */
const groupOf = ({ resource_group: group, resource }: BillLine): string | null =>
  group ?? /\/resourcegroups\/([^/]+)/i.exec(resource?.text ?? '')?.[1]?.toLowerCase() ?? null;

const needs = (picks: readonly SpendPick[]): { of: string; what: string }[] =>
  picks.flatMap((pick) => {
    if (pick.source !== 'cloud') return [];
    if (pick.tag !== undefined) return [{ of: `tag of ${pick.cloud}`, what: pick.tag.key }];
    const of = `split of ${pick.cloud} ${pick.account ?? ''}`;
    if (pick.service !== undefined) return [{ of, what: 'service' }];
    return pick.resource_group === undefined ? [] : [{ of, what: 'resource_group' }];
  });
