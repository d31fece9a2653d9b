import { z } from 'zod';
import { invalid } from '../../domain/shared/errors.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';

const RISE = 'expected {"percent": …, "deviations": …}, or null';
/** The rule for a rise of a daily metric (docs/concepts.md#events-and-webhooks). */
export const rise = z
  .strictObject(
    {
      percent: z.number().min(0, { error: 'expected 0 to 1000' }).max(1000, { error: 'expected 0 to 1000' }),
      deviations: z.number().min(0, { error: 'expected 0 to 100' }).max(100, { error: 'expected 0 to 100' }),
    },
    { error: RISE },
  )
  .nullable()
  .describe(
    'How far above the median of its last 28 recorded days a day of a daily metric must be for an event: in percent ' +
      'of it, and in median absolute deviations; 20 and 4 unless set, null for never',
  );

/** Rejects a rule for a rise on revenue, which sends no event, and on a monthly metric, which has no history of days. */
export function validRise(
  { kind, frequency }: Pick<Metric, 'kind' | 'frequency'>,
  sent: Metric['rise'],
): Metric['rise'] {
  if (kind === 'revenue' && sent !== null)
    throw invalid('rise: expected null, or nothing, on a revenue metric, which sends no event');
  if (frequency === 'monthly' && sent !== null)
    throw invalid('rise: expected null, or nothing, on a monthly metric');
  return sent;
}
