import type { Day, Month } from '../../domain/calendar.ts';
import type { SpendPick } from '../../domain/spend-pick.ts';
import type { BillLine } from './organisation-story.ts';
import type { CollectedLine } from './naive-spend.ts';

interface Choice {
  what: string;
  firstDay: Day;
}

/**
 * Tag keys and splits (spec §1, counting rules 5 and 6): one key per cloud, one split per account, set by the first
 * metric, team or shared cost to pick it and let go by the last. What they ask for is collected from their first day on, by loads that come
 * after they were made.
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
    for (const [of, what] of needed)
      if (this.#inUse.get(of)?.what !== what) this.#inUse.set(of, { what, firstDay: today });
    for (const of of this.#inUse.keys()) if (!needed.has(of) && !others.has(of)) this.#inUse.delete(of);
    this.#picks.set(user, picks);
    return true;
  }

  /** What is collected of a line that is loaded now. */
  collect(line: BillLine): Pick<CollectedLine, 'split' | 'tag'> {
    const split = this.#since(`split of ${line.cloud} ${line.account}`, line.day);
    const key = this.#since(`tag of ${line.cloud}`, line.day);
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

  /** Whether a pick has data of any day up to `end`; one that needs no choice has it of all days. */
  isCollectedBy(pick: SpendPick, end: Day): boolean {
    return needs([pick]).every(({ of }) => (this.#inUse.get(of)?.firstDay ?? '') <= end);
  }

  #since(of: string, day: Day): string | null {
    const choice = this.#inUse.get(of);
    return choice === undefined || day < choice.firstDay ? null : choice.what;
  }
}

const needs = (picks: readonly SpendPick[]): { of: string; what: string }[] =>
  picks.flatMap((pick) => {
    if (pick.source !== 'cloud') return [];
    if (pick.tag !== undefined) return [{ of: `tag of ${pick.cloud}`, what: pick.tag.key }];
    const of = `split of ${pick.cloud} ${pick.account ?? ''}`;
    if (pick.service !== undefined) return [{ of, what: 'service' }];
    return pick.resource_group === undefined ? [] : [{ of, what: 'resource_group' }];
  });
