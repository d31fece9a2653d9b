import Big from 'big.js';
import { z } from 'zod';
import { invalid } from '../../../domain/shared/errors.ts';
import { monthOf, type Day } from '../../../domain/shared/calendar.ts';
import { daysOf } from '../../../domain/sources/vendors/vendor-days.ts';
import { notFoundAt } from './ask-vendor.ts';
import type { ReadVendor, VendorReading } from './vendor-reading.ts';

/** Until May 2026 GitHub billed premium requests, and since then AI credits. Each report has what was billed in its time. */
const REPORTS = ['ai_credit', 'premium_request'] as const;
type Report = (typeof REPORTS)[number];

const usageReport = z.object({
  timePeriod: z
    .object({ year: z.number(), month: z.number().optional(), day: z.number().optional() })
    .optional(),
  usageItems: z.array(
    z.object({
      product: z.string().min(1),
      netAmount: z.number(),
      /** The price of all usage, also of what the plan includes. It is no bill. */
      grossAmount: z.number().optional(),
    }),
  ),
});

type UsageReport = z.output<typeof usageReport>;

/** A month is asked first as a whole if more of its days are wanted, because most months of a first reading have nothing. */
const FEW_DAYS = 3;

/** Reads what GitHub bills for AI by day. Its reports name no day, so that each day is a request. */
export const readGitHub: ReadVendor = async (reading) => {
  const days = daysOf(reading.days);
  let missing = 0;
  for (const report of REPORTS) {
    const isThere = await readReport(reading, report, days);
    if (!isThere) missing += 1;
  }
  if (missing === REPORTS.length) throw invalid(notFoundAt(reading.place));
};

/** Returns false if GitHub does not have the report. */
async function readReport(reading: VendorReading, report: Report, days: readonly Day[]): Promise<boolean> {
  let rows = 0;
  for (const month of new Set(days.map(monthOf))) {
    const wanted = days.filter((day) => monthOf(day) === month);
    if (wanted.length > FEW_DAYS) {
      const whole = await ask(reading, report, month);
      if (whole === null) return false;
      if (whole.usageItems.length === 0) continue;
    }
    for (const day of wanted) {
      const answer = await ask(reading, report, day);
      if (answer === null) return false;
      for (const item of answer.usageItems) addItem(reading, day, item);
      rows += answer.usageItems.length;
      reading.report(rows);
    }
  }
  return true;
}

function addItem(
  { spend, usage }: VendorReading,
  day: Day,
  { product, netAmount, grossAmount = 0 }: UsageReport['usageItems'][number],
): void {
  const tool = product.trim().toLowerCase().replaceAll(/\s+/g, '-');
  spend.add(day, tool, Big(netAmount));
  usage?.add(day, tool, Big(Math.max(0, grossAmount)));
}

/** @param period a day or a month. */
async function ask(
  { ask: vendor, place: { of, name }, token }: VendorReading,
  report: Report,
  period: string,
): Promise<UsageReport | null> {
  const [year = 0, month = 0, day] = period.split('-').map(Number);
  const query = Object.entries({ year, month, ...(day === undefined ? {} : { day }) });
  const answer = await vendor.find(
    {
      path: `/${of}/${name}/settings/billing/${report}/usage`,
      query: query.map(([key, value]) => [key, String(value)] as const),
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'x-github-api-version': '2022-11-28',
      },
    },
    usageReport,
  );
  const { timePeriod: answered } = answer ?? {};
  if (answered !== undefined && (answered.year !== year || answered.month !== month || answered.day !== day))
    throw invalid(
      `location: GitHub was asked for ${period}, and answered for another time; nothing was loaded`,
    );
  return answer;
}
