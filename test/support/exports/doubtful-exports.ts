import { addDays, type Day } from '../../../domain/shared/calendar.ts';
import type { ExportedSource } from './exported-source.ts';
import { dayLine, focusCsv, type FocusLine } from './focus-export.ts';

/** Exports of January that go wrong as people have reported it of other billing tools. */
export interface DoubtfulExport {
  sources: ExportedSource[];
  /** What January costs, worked out by hand. */
  cost: number;
  /** The codes of January's doubts. Empty if the service can tell what is right. */
  doubts: string[];
  /** Part of a note of a run. */
  note?: RegExp;
}

export const doubtfulExports = (): Record<string, DoubtfulExport> => ({
  // 31 × 10. The rows of the first nine days are in both files.
  'a one-time export beside the daily one': {
    sources: [
      bills({ 'one-time.csv': focusCsv(daily('10', '2026-01-09')), 'daily.csv': focusCsv(daily('10')) }),
    ],
    cost: 310,
    doubts: [],
    note: /one-time\.csv/,
  },
  // 31 × 10, not 12 × 10 + 20 × 10 + 31 × 10.
  'a month-to-date export that writes a new file each time': {
    sources: [
      bills(
        Object.fromEntries(
          ['2026-01-12', '2026-01-20', '2026-01-31'].map((through) => [
            `${through}.csv`,
            focusCsv(daily('10', through)),
          ]),
        ),
      ),
    ],
    cost: 310,
    doubts: [],
    note: /2026-01-12\.csv/,
  },
  // 12 × 10 of the account that stops, and 31 × 1 of the plan that is billed to the end of the month.
  'a savings plan that goes on after the usage of an account has stopped': {
    sources: [
      bills({
        'bill.csv': focusCsv([
          ...daily('10', '2026-01-12'),
          ...daily('1', '2026-01-31', { SubAccountId: '9999', CommitmentDiscountStatus: 'Unused' }),
        ]),
      }),
    ],
    cost: 151,
    doubts: ['unit_missing'],
  },
  // 31 × (10 + 6) on the bill, and 31 × 6 that the cluster reports of the same machine under its node name.
  'a node name where an instance id belongs': {
    sources: [
      bills({
        'bill.csv': focusCsv([
          ...daily('10'),
          ...daily('6', '2026-01-31', {
            ServiceCategory: 'Compute',
            ResourceId: 'arn:aws:ec2:us-east-2:1111:instance/i-0123456789abcdef0',
          }),
        ]),
      }),
      {
        kind: 'opencost',
        files: {
          'allocations.csv': table(
            'Date,Cluster,Namespace,ControllerKind,ControllerName,TotalCost',
            days('2026-01-31').map((day) => `${day},prod,shop,deployment,api,6`),
          ),
        },
        second: table(
          'day,cluster,kind,provider_id,cost',
          days('2026-01-31').map((day) => `${day},prod,Node,ip-10-2-1-123.us-east-2.compute.internal,6`),
        ),
      },
    ],
    cost: 682,
    doubts: ['unmatched_machines'],
  },
  // 31 × 24 × 0.25. The 25,000 of one row are unknown.
  'an amount with a thousands separator': {
    sources: [
      bills({
        'bill.csv': focusCsv([
          ...days('2026-01-31').flatMap((day) => Array.from({ length: 24 }, () => dayLine(day, '0.25'))),
          dayLine('2026-01-20', '25,000'),
        ]),
      }),
    ],
    cost: 186,
    doubts: ['rejected_rows'],
  },
  // 30 × 10: the last day is in the files of the next month.
  'a last day that arrives with the next month': {
    sources: [bills({ 'bill.csv': focusCsv(daily('10', '2026-01-30')) })],
    cost: 300,
    doubts: ['not_delivered'],
  },
  // 31 × (10 + 4) in the payer's export, and 31 × 4 again in the member's own one.
  'a member account whose own export is connected beside its payer’s': {
    sources: [
      bills({
        'payer.csv': focusCsv([...daily('10'), ...daily('4', '2026-01-31', { SubAccountId: '2222' })]),
      }),
      bills({
        'member.csv': focusCsv(daily('4', '2026-01-31', { SubAccountId: '2222', BillingAccountId: '2222' })),
      }),
    ],
    cost: 558,
    doubts: ['charges_twice'],
  },
});

function days(through: Day): Day[] {
  const found: Day[] = [];
  for (let day = '2026-01-01'; day <= through; day = addDays(day, 1)) found.push(day);
  return found;
}

const daily = (cost: string, through: Day = '2026-01-31', more: FocusLine = {}): FocusLine[] =>
  days(through).map((day) => dayLine(day, cost, more));

const bills = (files: Record<string, string>): ExportedSource => ({
  kind: 'focus',
  files,
  startsOn: '2026-01-01',
});

const table = (header: string, rows: readonly string[]): string => [header, ...rows, ''].join('\n');
