import { monthOf, type Day } from '../../domain/shared/calendar.ts';
import { csvLine } from './csv-line.ts';
import { wobble } from './noise.ts';
import { growth, isWeekend } from './season.ts';

const TOOLS = [
  { tool: 'assistant', seats: 7.6, usage: 11 },
  { tool: 'reviewer', seats: 4, usage: 5 },
];

/** How much of a tool's use is for each repository; the last is use without one. */
const REPOSITORIES = [
  { repository: 'github.com/sample-shop/checkout', part: 420 },
  { repository: 'github.com/sample-shop/storefront', part: 310 },
  { repository: 'github.com/sample-shop/search', part: 170 },
  { repository: '', part: 100 },
];

/** What the AI tools cost on some days: seats on every day, usage on working days. */
export function* aiSpendCsv(days: readonly Day[]): Generator<string> {
  yield 'day,tool,kind,cost\n';
  for (const day of days) {
    for (const { tool, seats, usage } of TOOLS) {
      yield csvLine([day, tool, 'seat', seats.toFixed(2)]);
      if (isWeekend(day)) continue;
      const used = usage * growth(monthOf(day), 0.02) * wobble(`${tool} ${day}`, 0.15);
      yield csvLine([day, tool, 'usage', used.toFixed(4)]);
    }
  }
}

/** How much each repository used the tools, in thousands of tokens; nobody works at weekends. */
export function* aiUsageCsv(days: readonly Day[]): Generator<string> {
  yield 'day,tool,repository,usage\n';
  for (const day of days) {
    if (isWeekend(day)) continue;
    for (const { tool } of TOOLS) {
      for (const { repository, part } of REPOSITORIES) {
        const used = Math.round(part * wobble(`${tool} ${repository} ${day}`, 0.5));
        yield csvLine([day, tool, repository, used.toString()]);
      }
    }
  }
}
