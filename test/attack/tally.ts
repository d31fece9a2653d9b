import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A fault of the product, with the file of an input that causes it. */
interface Fault {
  message: string;
  count: number;
  file: string;
  bytes: number;
}

/** Counts inputs and their outcomes, and keeps the smallest input of each fault. */
export class Tally {
  readonly #counts = new Map<string, Map<string, number>>();
  readonly #faults = new Map<string, Fault>();
  readonly #directory: string;
  readonly #seed: number;

  /** @param directory keeps the inputs of faults. */
  constructor(directory: string, seed: number) {
    this.#directory = directory;
    this.#seed = seed;
  }

  /** Adds to the count of a name in a group. */
  add(group: string, name: string, count = 1): void {
    const counts = this.#counts.get(group) ?? new Map<string, number>();
    counts.set(name, (counts.get(name) ?? 0) + count);
    this.#counts.set(group, counts);
  }

  /** Returns the sum of a group. */
  total(group: string): number {
    return [...(this.#counts.get(group)?.values() ?? [])].reduce((sum, count) => sum + count, 0);
  }

  /** Keeps an input that causes a fault, unless a smaller one causes the same. */
  async fault(kind: string, index: number, message: string, input: Buffer): Promise<void> {
    const key = `${kind} ${message.replace(/\d+|[0-9a-f]{8,}|"[^"]*"/g, '#').slice(0, 80)}`;
    const known = this.#faults.get(key);
    if (known !== undefined) known.count += 1;
    if (known !== undefined && known.bytes <= input.length) return;
    await mkdir(this.#directory, { recursive: true });
    const file = join(this.#directory, `${kind.replaceAll(/\W+/g, '-')}-${index}`);
    await writeFile(file, input);
    this.#faults.set(key, { message, count: known?.count ?? 1, file, bytes: input.length });
    process.stdout.write(
      `FAULT seed ${this.#seed}, ${kind} ${index}: ${message.slice(0, 500)}\n  input: ${file}\n`,
    );
  }

  /** Keeps a text beside the inputs, if there was a fault. */
  async keep(name: string, text: string): Promise<void> {
    if (this.#faults.size > 0) await writeFile(join(this.#directory, name), text);
  }

  /** Returns a line for each fault. */
  faults(): string[] {
    return [...this.#faults.values()].map(
      ({ message, count, file }) => `${count} times: ${message}; ${file}`,
    );
  }

  /** Returns all counts, with a line for each group. */
  report(): string {
    return [...this.#counts]
      .map(
        ([group, counts]) =>
          `${group}: ${[...counts]
            .sort()
            .map(([name, count]) => `${name} ${count}`)
            .join(', ')}`,
      )
      .join('\n');
  }
}
