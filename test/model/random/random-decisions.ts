import fc from 'fast-check';
import type { Day } from '../../../domain/shared/calendar.ts';
import type { DecisionStep, Kind, OnBill, SourceName } from '../organisation-story.ts';
import { SPEND_DAYS } from './random-deliveries.ts';

/** Units of each kind. The first one can have spend on every day. No source has the last one. */
const UNITS: Readonly<Record<Kind, readonly string[]>> = {
  focus: ['aws/1111', 'aws/1111', 'aws/1111', 'aws/2222', 'azure/sub-1', 'gcp/proj-a', 'nobody'],
  opencost: ['prod', 'prod', 'prod', 'edge', 'nobody'],
  hosts: ['host-1', 'host-1', 'host-1', 'host-2', 'nobody'],
  ai_tools: ['assistant', 'assistant', 'assistant', 'reviewer', 'nobody'],
};

/** Last days of units: on and between the days of spend, before and after all, and none. */
const lastDays = fc.constantFrom<(Day | null)[]>(
  ...Object.values(SPEND_DAYS).flat(),
  ...['2025-12-15', '2026-01-12', '2026-01-20', '1999-12-31', '2099-01-01', null, null],
);

const onBill = fc.constantFrom<OnBill[]>('auto', 'always', 'never', 'never');

const does = <Does extends string>(name: Does): fc.Arbitrary<Does> => fc.constant(name);

/** Returns the unit that can have spend on every day. */
export const steadyUnit = (kind: Kind): string => UNITS[kind][0] ?? '';

/** A decision about a source. */
export function decisionAbout(
  source: SourceName,
  on: fc.Arbitrary<Day>,
  units = UNITS[source.kind],
): fc.Arbitrary<{ on: Day } & DecisionStep> {
  const unit = fc.constantFrom(...units);
  const of = { on, source: fc.constant(source), unit };
  const told = { on, source: fc.constant(source), onBill };
  const hasMachines = source.kind === 'opencost' || source.kind === 'hosts';
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ ...of, does: does('end unit'), day: lastDays }) },
    {
      weight: 2,
      arbitrary: fc.record({
        ...of,
        does: does('confirm unit'),
        stands: fc.constantFrom(true, true, false),
      }),
    },
    { weight: hasMachines ? 3 : 0, arbitrary: fc.record({ ...told, does: does('tell on bill') }) },
  );
}
