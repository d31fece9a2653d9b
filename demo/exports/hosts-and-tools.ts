import { monthOf, type Day } from '../../domain/shared/calendar.ts';
import { growth, isWeekend, wobble } from './demand.ts';
import { costOfDay, resource } from './resources.ts';

const DB_MACHINE = resource('i-0db0000000000001');

/** Returns the costs of host `db-1`, whose machine is on the AWS bill, and of `cellar-1`, which is on no bill. */
export const hostRows = (days: readonly Day[]): string[][] => [
  ['day', 'host', 'service', 'cost', 'machine_id'],
  ...days.flatMap((day) => {
    const machine = costOfDay(DB_MACHINE, day) * 0.95;
    const postgres = 0.62 * wobble(`postgres ${day}`, 0.1);
    const builds = isWeekend(day) ? 0.4 : 4.1 * wobble(`builds ${day}`, 0.2);
    return [
      [day, 'db-1', 'postgres', (machine * postgres).toFixed(4), DB_MACHINE.id],
      [day, 'db-1', 'pgbouncer', (machine * 0.07).toFixed(4), DB_MACHINE.id],
      // A service that is empty or `__idle__` is idle capacity.
      [day, 'db-1', '', (machine * (0.93 - postgres)).toFixed(4), DB_MACHINE.id],
      [day, 'cellar-1', 'backup', '3.2000', ''],
      [day, 'cellar-1', 'builds', builds.toFixed(4), ''],
      [day, 'cellar-1', '__idle__', '1.5000', ''],
    ];
  }),
];

/** Each AI tool with its dollars a day: for seats, and for usage on a working day. */
const TOOLS = [
  { tool: 'assistant', seats: '7.60', usage: 11 },
  { tool: 'reviewer', seats: '4.00', usage: 5 },
];
/** How many thousands of tokens each repository uses on a working day, and how many are without a repository. */
const TOKENS = { checkout: 420, storefront: 310, search: 170, '': 100 };

/** Returns the costs of the AI tools. */
export const aiSpendRows = (days: readonly Day[]): string[][] => [
  ['day', 'tool', 'kind', 'cost'],
  ...days.flatMap((day) =>
    TOOLS.flatMap(({ tool, seats, usage }) => {
      const used = usage * growth(monthOf(day), 0.02) * wobble(`${tool} ${day}`, 0.15);
      const usageRows = isWeekend(day) ? [] : [[day, tool, 'usage', used.toFixed(4)]];
      return [[day, tool, 'seat', seats], ...usageRows];
    }),
  ),
];

/** Returns the use of each AI tool by each repository, in thousands of tokens. */
export function aiUsageRows(days: readonly Day[]): string[][] {
  const working = days.filter((day) => !isWeekend(day));
  const places = working.flatMap((day) => TOOLS.map(({ tool }) => [day, tool]));
  const rows = places.flatMap((place) =>
    Object.entries(TOKENS).map(([name, tokens]) => {
      const repository = name && `github.com/sample-shop/${name}`;
      const used = tokens * wobble(`${place.join(' ')} ${name}`, 0.5);
      return [...place, repository, Math.round(used).toString()];
    }),
  );
  return [['day', 'tool', 'repository', 'usage'], ...rows];
}
