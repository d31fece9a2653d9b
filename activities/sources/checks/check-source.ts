import { NOTHING_FOUND, type CheckedSource } from '../../../domain/sources/checks/checked-source.ts';
import type { Credentials } from '../../../domain/sources/credentials.ts';
import { UPLOAD } from '../../../domain/sources/uploads/uploaded-name.ts';
import type { Clock } from '../../../domain/shared/clock.ts';
import { withCredentials, type SourceRulesOf } from '../../../egress/locations/source-rules.ts';
import type { Warehouse } from '../../../warehouse/engine/warehouse.ts';
import { locationsOf } from '../../../warehouse/sources/file-locations.ts';
import { failureSentence } from './failure-sentence.ts';
import { judgeLook } from './judge-look.ts';
import { lookAtSource, newLook, type Looking } from './look-at-source.ts';

/** What the check of a source needs. */
export interface CheckDependencies extends Pick<
  Looking,
  'openRemoteFiles' | 'operatorBuckets' | 'bigQueryEndpoint'
> {
  warehouse: Warehouse;
  clock: Clock;
  sourceRulesOf: SourceRulesOf;
}

/** A source that is not connected yet. */
export interface SourceToCheck extends Pick<Looking, 'organisation' | 'source'> {
  credentials: Credentials | null;
}

/** How much is read, and how long it may take. If the first is too slow, the second still finds something. */
const LOOKS = [
  { mostBytes: 2e9, mostMs: 20_000 },
  { mostBytes: 5e7, mostMs: 8_000 },
] as const;

const TOO_SLOW = 'the source did not answer in time: check the address, or name a smaller folder';

const NO_TIME =
  'there was no time to read even the newest file, so that nobody knows what it has: name a smaller folder, or connect it and see its first run';

/**
 * Looks at a source before anybody connects it: reads it as an ingest does, and stores nothing. If there is too much to read in
 * time, it reads the newest files, and what is not exact is null.
 *
 * @param signal ends the check, which then throws its reason.
 */
export async function checkSource(
  { clock, sourceRulesOf, ...dependencies }: CheckDependencies,
  { organisation, source, credentials }: SourceToCheck,
  signal: AbortSignal,
  looks: readonly { mostBytes: number; mostMs: number }[] = LOOKS,
): Promise<CheckedSource> {
  if (locationsOf(source).some(({ location }) => location === UPLOAD))
    return { problems: [], warnings: [], found: { ...NOTHING_FOUND, files: 0 } };
  const rules = withCredentials(sourceRulesOf(organisation.id), credentials);
  const of = { organisation, source, credentials, now: clock.now(), rules };
  let look = newLook();
  for (const { mostBytes, mostMs } of looks) {
    const late = AbortSignal.timeout(mostMs);
    const looking = { ...of, ...dependencies, mostBytes };
    look = { ...newLook(), listed: look.listed };
    try {
      await lookAtSource({ ...looking, signal: AbortSignal.any([signal, late]) }, look);
      return judgeLook(of, look, null);
    } catch (error) {
      signal.throwIfAborted();
      if (!late.aborted) return judgeLook(of, look, failureSentence(error));
    }
  }
  if (look.listed.length === 0) return judgeLook(of, look, TOO_SLOW);
  return judgeLook(of, look, look.facts === null && look.groups === null ? NO_TIME : null);
}
