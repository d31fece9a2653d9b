import Big from 'big.js';
import { z } from 'zod';
import { addDays, dayOf, type Day } from '../../../domain/shared/calendar.ts';
import { invalid, Outage } from '../../../domain/shared/errors.ts';
import type { ReadVendor, VendorReading } from './vendor-reading.ts';

const TOOL = 'cursor';
const CENTS = Big('0.01');

/** The most that Cursor takes: days of a request, and events of a page. */
const WINDOW_DAYS = 30;
const PAGE_SIZE = 1_000;

const usageEvents = z.object({
  totalUsageEventsCount: z.number().optional(),
  pagination: z.object({ hasNextPage: z.boolean(), currentPage: z.number().optional() }),
  usageEvents: z.array(
    z.object({
      timestamp: z.union([z.string().regex(/^\d{1,15}$/), z.number()]),
      /** What the event costs, in cents of USD. */
      chargedCents: z.number().nullish(),
      /** False for what the plan includes. */
      isChargeable: z.boolean().nullish(),
    }),
  ),
});

/**
 * Reads what Cursor charges for each event of the team, and sums it by day. Events that the plan includes are usage, but no spend.
 * Who used it is not read.
 */
export const readCursor: ReadVendor = async (reading) => {
  const { from, to } = reading.days;
  for (let start = from; start <= to; start = addDays(start, WINDOW_DAYS)) {
    const end = addDays(start, WINDOW_DAYS - 1);
    await readWindow(reading, start, end < to ? end : to);
  }
};

async function readWindow(
  { ask, token, spend, usage, report }: VendorReading,
  from: Day,
  to: Day,
): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${token}:`).toString('base64')}`;
  let [read, total] = [0, null as number | null];
  for (let page = 1; ; page += 1) {
    const answer = await ask.get(
      {
        path: '/teams/filtered-usage-events',
        headers: { authorization },
        body: { startDate: startOf(from), endDate: startOf(addDays(to, 1)) - 1, page, pageSize: PAGE_SIZE },
      },
      usageEvents,
    );
    const { currentPage = page, hasNextPage } = answer.pagination;
    if (currentPage !== page || (hasNextPage && answer.usageEvents.length === 0))
      throw new Outage(
        `location: Cursor was asked for page ${page}, and did not answer it; nothing was loaded`,
      );
    for (const { timestamp, chargedCents, isChargeable } of answer.usageEvents) {
      const day = dayOf(new Date(Number(timestamp)));
      if (day < from || day > to)
        throw invalid(
          `location: Cursor was asked for ${from} to ${to}, and answered ${day}; nothing was loaded`,
        );
      const amount = Big(chargedCents ?? 0).times(CENTS);
      if (isChargeable !== false) spend.add(day, TOOL, amount);
      if (amount.gt(0)) usage?.add(day, TOOL, amount);
    }
    read += answer.usageEvents.length;
    report(read);
    total = answer.totalUsageEventsCount ?? total;
    if (!hasNextPage) break;
  }
  if (total !== null && total !== read)
    throw new Outage(
      `location: Cursor has ${total} events from ${from} to ${to}, and answered ${read}; nothing was loaded`,
    );
}

const startOf = (day: Day): number => Date.parse(`${day}T00:00:00Z`);
