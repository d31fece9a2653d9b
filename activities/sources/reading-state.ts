import { createHash } from 'node:crypto';
import { dayOf } from '../../domain/shared/calendar.ts';
import { KINDS } from '../../domain/sources/kinds.ts';
import type { ReadingState } from '../../domain/sources/readings/reading-record.ts';
import { READING_RULES } from '../../domain/sources/readings/reading-rules.ts';
import type { Queries } from '../../warehouse/engine/session.ts';
import type { CostSource } from '../../warehouse/sources/cost-sources.ts';
import { collectedChoices } from '../../warehouse/sources/focus/values/collected-choices.ts';
import { pointsState } from '../../warehouse/sources/usage/counted-points.ts';
import type { LoadScope } from '../../warehouse/sources/publishing/load.ts';

/** Returns whatever changes the rows of a source's loads beside its files. Locations can hold a credential, so they are hashed. */
export async function readingState(
  session: Queries,
  { id: sourceId, kind, location, currency: ofSource, options }: CostSource,
  currency: string,
  { orgId, now }: Pick<LoadScope, 'orgId' | 'now'>,
): Promise<ReadingState> {
  // What programs have sent since joins the usage of files.
  const sent = kind === 'ai_tools' ? await pointsState(session, { orgId, sourceId }) : null;
  const settings = [READING_RULES, kind, location, ofSource, currency, Object.entries(options).sort(), sent];
  return {
    settings: createHash('sha256').update(JSON.stringify(settings)).digest('hex'),
    choices: KINDS[kind].spend === 'cloud' ? await collectedChoices(session, orgId, now) : [],
    today: dayOf(now),
  };
}
