import { firstDay, lastDay, monthOf } from '../../domain/shared/calendar.ts';
import { growth, isWeekend, season, wobble } from '../exports/demand.ts';
import { daysBetween, type SampleTime } from '../exports/write-exports.ts';
import type { Client, Named } from './client.ts';
import type { SampleMetric } from './sample-shop.ts';

/** A value as the API takes it. */
interface Value {
  period: string;
  label?: string;
  value: number;
}

/** Returns a metric's value of each day, or of each complete month, and of each label. */
export function valuesOf({ fields, values }: SampleMetric, { months, through }: SampleTime): Value[] {
  const { size, growth: perMonth, seasonal, weekend = 1, spread } = values;
  const days = daysBetween(firstDay(months[0] ?? monthOf(through)), through);
  const complete = months.filter((month) => lastDay(month) <= through);
  const sizes = typeof size === 'number' ? [['', size] as const] : Object.entries(size);
  return (fields.frequency === 'daily' ? days : complete).flatMap((period) => {
    const month = monthOf(period);
    const level =
      growth(month, perMonth) * (seasonal ? season(month) : 1) * (isWeekend(period) ? weekend : 1);
    return sizes.map(([label, average]) => {
      const value = Math.round(average * level * wobble(`${fields.name} ${label} ${period}`, spread));
      return label === '' ? { period, value } : { period, label, value };
    });
  });
}

/** Records the values that a metric lacks, and keeps those that it has. */
export async function recordMissing(admin: Client, { id }: Named, values: readonly Value[]) {
  const path = `/api/v1/metrics/${id}/values`;
  const placeOf = ({ period, label = '' }: Value): string => `${period} ${label}`;
  const stored = await admin.get<Value[]>(`${path}?start=${values[0]?.period ?? ''}&limit=1000`);
  const places = new Set(stored.map(placeOf));
  const missing = values.filter((value) => !places.has(placeOf(value)));
  if (missing.length > 0) await admin.post(path, { values: missing });
}
