import { z } from 'zod';
import { normalText } from '../../domain/shared/text/normal-text.ts';
import type { ValueSource } from '../../domain/metrics/metric.ts';
import type { Change } from '../../warehouse/metrics/value-changes.ts';
import type { Caller } from '../access/authentication.ts';
import { day, month } from '../http/fields.ts';

/** A metric value on the wire (docs/http.md#send-values). Its range depends on the kind of the metric (value-rules.ts). */
export const number = z.number({ error: 'expected a finite number' });

/** A label of a value. Both encodings of a letter are one label, and so are labels with and without blanks around them. */
export const label = z.string({ error: 'expected a text' }).overwrite(normalText);

/** A period of a metric of either frequency. */
export const period = z.union([day, month], { error: 'expected YYYY-MM-DD or YYYY-MM' });

/** The result of a write of values. */
export const writeResult = z
  .object({
    created: z.number(),
    replaced: z.number(),
    unchanged: z.number(),
    rounded: z.number().describe('Values that had more than ten decimals and were rounded to ten'),
    months: z.array(z.string()).describe('Months whose numbers changed'),
  })
  .meta({ id: 'WriteResult' });

/** Returns a change by the holder of a key. */
export const keyChange = (caller: Caller, source: ValueSource, now: Date): Change => ({
  source,
  by: caller.actor,
  now,
});
