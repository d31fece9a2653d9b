import { cut } from './text/for-message.ts';
import type { Month } from './calendar.ts';

/** What a workflow works on, by names. */
export interface Summarised {
  organisation: string;
  /** The name of a source or a metric, or the host of a webhook; null for all of the organisation. */
  subject: string | null;
  startMonth?: Month | null | undefined;
  endMonth?: Month | null | undefined;
}

/** Temporal takes at most 400 bytes of a summary. Two names of this length and two months have fewer. */
const LONGEST_NAME = 50;

/** Returns the summary of a workflow, such as "AWS of Acme, 2026-01". */
export function workflowSummary({ organisation, subject, startMonth, endMonth }: Summarised): string {
  const [start, end] = [startMonth ?? null, endMonth ?? null];
  const names = [...(subject === null ? [] : [subject]), organisation].map((name) => cut(name, LONGEST_NAME));
  return names.join(' of ') + monthsOf(start, end);
}

function monthsOf(start: Month | null, end: Month | null): string {
  if (start === null) return end === null ? '' : `, to ${end}`;
  if (end === null) return `, from ${start}`;
  return start === end ? `, ${start}` : `, ${start} to ${end}`;
}
