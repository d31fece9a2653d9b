import type { Day } from '../shared/calendar.ts';
import type { DecimalText } from '../shared/decimals.ts';

/** A day's value as a platform gave it (docs/concepts.md#daily-imports). Revenue may be negative. */
export interface ImportedValue {
  day: Day;
  /** Only on metrics with a label key. */
  label?: string;
  value: DecimalText;
}
