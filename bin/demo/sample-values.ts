import { addDays, addMonths, firstDay, monthOf, type Day, type Month } from '../../domain/shared/calendar.ts';

/** A value as the API takes it. */
export interface SampleValue {
  period: string;
  label?: string;
  value: number;
}

/** Values from the first of `months` through the day `through`. */
export type SampleValues = (months: readonly Month[], through: Day) => SampleValue[];

/** A value of each day, a whole number. */
export const daily =
  (value: (day: Day) => number): SampleValues =>
  (months, through) => {
    const values: SampleValue[] = [];
    let day = firstDay(months[0] ?? monthOf(through));
    for (; day <= through; day = addDays(day, 1)) values.push({ period: day, value: Math.round(value(day)) });
    return values;
  };

/** The months that are complete on the day `through`. */
const complete = (months: readonly Month[], through: Day): Month[] =>
  months.filter((month) => firstDay(addMonths(month, 1)) <= addDays(through, 1));

/** A value of each complete month, with one decimal. */
export const monthly =
  (value: (month: Month) => number): SampleValues =>
  (months, through) =>
    complete(months, through).map((month) => ({ period: month, value: Number(value(month).toFixed(1)) }));

/** A value of each complete month and label, a whole number. */
export const monthlyByLabel =
  (labels: readonly string[], value: (month: Month, label: string) => number): SampleValues =>
  (months, through) =>
    complete(months, through).flatMap((month) =>
      labels.map((label) => ({ period: month, label, value: Math.round(value(month, label)) })),
    );
