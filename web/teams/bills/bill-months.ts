import type { Bill, Team } from '../team-queries.ts';
import { addMonths, monthOf, type Day, type Month } from '../../shared/calendar.ts';

/** A team with its bills of the last twelve months. */
export interface TeamBills {
  team: Team;
  bills: readonly Bill[];
}

/** How many months bills show (spec §8). */
const SHOWN_MONTHS = 12;

/** The months that bills show, newest first, the running one included. */
export const billMonths = (today: Day): Month[] =>
  Array.from({ length: SHOWN_MONTHS }, (_, index) => addMonths(monthOf(today), -index));

/** The wanted month if bills show it, and else the newest complete one. */
export const shownMonth = (wanted: Month | undefined, today: Day): Month =>
  wanted !== undefined && billMonths(today).includes(wanted) ? wanted : addMonths(monthOf(today), -1);

/** The digits of money on the wire (contract §1). */
const DECIMALS = 6;

/** Adds amounts of answers, without the noise of binary fractions. */
export const sumOf = (amounts: readonly number[]): number =>
  Number(amounts.reduce((sum, amount) => sum + amount, 0).toFixed(DECIMALS));
