import type { Day, Month } from '../../../domain/shared/calendar.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import type { BillLine } from '../organisation-story.ts';
import type { CollectedLine } from './naive-spend.ts';

interface Choice {
  what: string;
  firstDay: Day;
  /** The day on which its last user let it go; null while it is used. */
  letGo: Day | null;
}

const dayNumber = (day: Day): number => Date.parse(day) / 86_400_000;

/** What nobody uses is collected for thirty days more. */
const isKept = ({ letGo }: Choice, today: Day): boolean =>
  letGo === null || dayNumber(today) - dayNumber(letGo) <= 30;

/**
 * Tag keys and splits (spec §1, counting rules 5 and 6): one key per cloud, one split per account, set by the first
 * metric, team or shared cost to pick it and let go by the last. What they ask for is collected from their first day on, by
 * loads that come after they were made. Picked again while it is kept, a choice goes on; another takes its place at once.
 */
export class NaiveChoices {
  readonly #inUse = new Map<string, Choice>();
  readonly #picks = new Map<string, readonly SpendPick[]>();

  /** Somebody picks; false, and nothing is changed, if that needs another choice than is in use. */
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
      this.#inUse.set(of, { what, firstDay: goesOn ? before.firstDay : today, letGo: null });
    }
    for (const [of, choice] of this.#inUse) if (!needed.has(of) && !others.has(of)) choice.letGo ??= today;
    this.#picks.set(user, picks);
    return true;
  }

  /** What is collected of a line that is loaded today. */
  collect(line: BillLine, today: Day): Pick<CollectedLine, 'split' | 'tag'> {
    const split = this.#since(`split of ${line.cloud} ${line.account}`, line.day, today);
    const key = this.#since(`tag of ${line.cloud}`, line.day, today);
    const kind = split === 'service' || split === 'resource_group' ? split : null;
    const group = kind === null ? null : line[kind];
    const value = key === null ? null : (line.tags[key] ?? null);
    return {
      split: kind === null || group === null ? null : { kind, value: group },
      tag: key === null || value === null ? null : { key, value },
    };
  }

  /** Whether picks need data of a day of the month on which it was not collected yet. */
  isUncollected(picks: readonly SpendPick[], month: Month): boolean {
    return needs(picks).some(({ of }) => (this.#inUse.get(of)?.firstDay ?? '') > `${month}-01`);
  }

  /** Whether any of some picks begins within the month to take money from what others name less specifically. */
  isTakenFrom(picks: readonly SpendPick[], by: readonly SpendPick[], month: Month): boolean {
    return by.some((taker) =>
      needs([taker]).some(({ of }) => {
        const firstDay = this.#inUse.get(of)?.firstDay ?? '';
        const isWithin = firstDay.startsWith(month) && firstDay > `${month}-01`;
        return isWithin && picks.some((pick) => isContended(pick, taker));
      }),
    );
  }

  /** Whether a pick has data of any day up to `end`; one that needs no choice has it of all days. */
  isCollectedBy(pick: SpendPick, end: Day): boolean {
    return needs([pick]).every(({ of }) => (this.#inUse.get(of)?.firstDay ?? '') <= end);
  }

  #since(of: string, day: Day, today: Day): string | null {
    const choice = this.#inUse.get(of);
    return choice === undefined || !isKept(choice, today) || day < choice.firstDay ? null : choice.what;
  }
}

/** Whether a more specific pick of a cloud can name money that another one names: split before tag before account. */
const isContended = (pick: SpendPick, taker: SpendPick): boolean => {
  if (pick.source !== 'cloud' || taker.source !== 'cloud' || pick.cloud !== taker.cloud) return false;
  if (pick.service !== undefined || pick.resource_group !== undefined) return false;
  if (pick.tag !== undefined) return taker.tag === undefined;
  return taker.tag !== undefined || taker.account === pick.account;
};

const needs = (picks: readonly SpendPick[]): { of: string; what: string }[] =>
  picks.flatMap((pick) => {
    if (pick.source !== 'cloud') return [];
    if (pick.tag !== undefined) return [{ of: `tag of ${pick.cloud}`, what: pick.tag.key }];
    const of = `split of ${pick.cloud} ${pick.account ?? ''}`;
    if (pick.service !== undefined) return [{ of, what: 'service' }];
    return pick.resource_group === undefined ? [] : [{ of, what: 'resource_group' }];
  });
