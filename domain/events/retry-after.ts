/** The longest wait between two attempts to deliver an event, in seconds. */
const LONGEST_WAIT_S = 2 * 3_600;

const FIRST_WAIT_S = 1;

/**
 * Returns how many seconds an endpoint asks to wait with its header `Retry-After`, at most two hours. The header has seconds or an
 * HTTP date (RFC 9110, section 10.2.3). Returns null without the header, for other texts, and for a time that has passed.
 *
 * @param now the machine's time, because the endpoint's date follows a real clock.
 */
export function retryAfterOf(header: string | null, now: Date): number | null {
  if (header === null) return null;
  const text = header.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : HTTP_DATE.test(text) ? secondsUntil(text, now) : NaN;
  return seconds > 0 ? Math.min(seconds, LONGEST_WAIT_S) : null;
}

/** All three forms begin with the name of a weekday and have a time. Date.parse would also read "1.5". */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/;

function secondsUntil(date: string, now: Date): number {
  // The form of asctime() names no zone. HTTP dates are UTC.
  const instant = Date.parse(date.endsWith('GMT') ? date : `${date} GMT`);
  return Math.ceil((instant - now.getTime()) / 1_000);
}

/**
 * Returns the seconds from an attempt to the next one: 1, 2, 4 and so on, up to two hours (docs/concepts.md, Delivery). An endpoint
 * that asks to wait longer gets its time. If it asks for less, the wait still grows, so that a failing endpoint is left in peace.
 *
 * @param attempt the number of the attempt, from 1.
 */
export const waitAfter = (attempt: number, retryAfter: number | null): number =>
  Math.min(LONGEST_WAIT_S, Math.max(FIRST_WAIT_S * 2 ** (attempt - 1), retryAfter ?? 0));
