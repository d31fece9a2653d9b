import Big from 'big.js';
import type { Day } from '../../shared/calendar.ts';
import type { DecimalText } from '../../shared/decimals.ts';

/** Exact sums by day and tool, in the order of their first amounts. */
export class VendorSums {
  readonly #sums = new Map<Day, Map<string, Big>>();

  add(day: Day, tool: string, amount: Big.BigSource): void {
    const tools = this.#sums.get(day) ?? new Map<string, Big>();
    this.#sums.set(day, tools);
    tools.set(tool, (tools.get(tool) ?? Big(0)).plus(amount));
  }

  get days(): Day[] {
    return [...this.#sums.keys()].sort();
  }

  get tools(): string[] {
    return [...new Set([...this.#sums.values()].flatMap((tools) => [...tools.keys()]))];
  }

  rows(): { day: Day; tool: string; amount: DecimalText }[] {
    return [...this.#sums].flatMap(([day, tools]) =>
      [...tools].map(([tool, amount]) => ({ day, tool, amount: amount.toFixed() })),
    );
  }
}
