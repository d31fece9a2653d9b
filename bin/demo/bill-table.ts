import type { Month } from '../../domain/shared/calendar.ts';
import { alignedRows } from './aligned-rows.ts';
import { amountText } from './amount-text.ts';
import type { BillOnWire, TeamBills } from './team-bills.ts';

const HEADER = ['month', 'team', 'direct', 'shared', 'fully loaded', 'status'] as const;
const LEFT_ALIGNED = new Set([0, 1, 5]);

/**
 * The newest months of some teams' bills as a table for people, with what is unallocated, and the organisation's
 * `totals` by month, which it all adds up to.
 */
export const billTable = (
  teams: readonly TeamBills[],
  totals: ReadonlyMap<Month, number>,
  currency: string,
): string[] => {
  const rows = [...totals].flatMap(([month, total]) => {
    const ofMonth = teams.flatMap(({ name, bills }) => {
      const bill = bills.find((each) => each.month === month);
      return bill === undefined ? [] : [{ name, bill }];
    });
    const [first] = ofMonth;
    const whole = (what: string, amount: number | null): string[] => [
      '',
      what,
      '',
      '',
      amountText(amount),
      '',
    ];
    return [
      ...ofMonth.map(({ name, bill }) => [
        bill === first?.bill ? month : '',
        name,
        ...[bill.direct, bill.shared, bill.fully_loaded].map((amount) => amountText(amount)),
        // What a month waits for is the same for every team.
        statusInWords(bill, bill === first?.bill),
      ]),
      whole('unallocated', first?.bill.unallocated ?? null),
      whole('total', total),
    ];
  });
  const shown = teams.flatMap(({ bills }) => bills.filter(({ month }) => totals.has(month)));
  return [
    `Team bills (${currency}): what a team owns and its parts of shared costs; with unallocated they add up to the total`,
    ...alignedRows([HEADER, ...rows], LEFT_ALIGNED),
    ...(shown.some(({ follows_today }) => follows_today)
      ? ['  follows today: loaded late, so it moves with spend and teams until an admin seals it by hand']
      : []),
    ...(shown.some(({ sealed_because }) => sealed_because === 'values_changed')
      ? ['  values changed: sealed again, because values that a shared cost is split by had changed']
      : []),
  ];
};

const CAUSES = { settled: '', values_changed: ', values changed', backfill: '', resealed: ', by hand' };

const statusInWords = (bill: BillOnWire, withReasons: boolean): string => {
  const { status, version, waiting_for, sealed_because, follows_today } = bill;
  const sealed = follows_today ? ', follows today' : sealed_because && CAUSES[sealed_because];
  if (version !== null) return `${status} v${version}${sealed ?? ''}`;
  return withReasons && waiting_for.length > 0 ? `${status}: ${waiting_for.join('; ')}` : status;
};
