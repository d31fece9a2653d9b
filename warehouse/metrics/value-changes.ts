import type { ValueSource } from '../../domain/metrics/metric.ts';
import type { Day, Month } from '../../domain/shared/calendar.ts';
import type { ValueActor } from '../../domain/organisations/actor.ts';
import type { Parameters } from '../engine/sql/parameters.ts';
import type { RevenueVault } from './revenue-vault.ts';

/** A metric whose values are changed. The vault opens and seals revenue; counts have none. */
export interface ValuesOf {
  orgId: string;
  metricId: string;
  vault?: RevenueVault | undefined;
}

/** A value to write, as a number or a text. `period` is its first day. `label` is empty on a metric without labels. */
export interface NewValue {
  period: Day;
  label: string;
  value: number | string;
}

/** A statement that selects the stored values (period, label) that a change removes, unless it gives them anew. */
export interface Removal {
  sql: string;
  parameters: Parameters;
}

/** What all rows of one change share. */
export interface Change {
  source: ValueSource;
  by: ValueActor;
  now: Date;
}

/** Returns what rows of a change store of its author, as parameters. */
export const storedBy = ({ source, by, now }: Change) => ({
  source,
  by_type: by.type,
  by_id: by.id,
  by_name: by.name,
  now: now.toISOString(),
});

/** The result of a change. `months` are those whose values changed, oldest first. */
export interface ChangeResult {
  created: number;
  replaced: number;
  removed: number;
  unchanged: number;
  months: Month[];
}

/** The lock under which the values of a metric change and its months are locked. */
export const valuesLock = (metricId: string): string => `values ${metricId}`;
