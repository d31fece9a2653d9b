import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('translate.py', import.meta.url));

/** Translates GoogleSQL to the SQL of DuckDB, in a process of Python. Needs the folder of sqlglot in the variable SQLGLOT. */
export class Translator {
  readonly #process = spawn('python3', [PROGRAM], {
    env: { ...process.env, PYTHONPATH: process.env['SQLGLOT'] },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  readonly #answers = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  #last: Promise<unknown> = Promise.resolve();

  /** Returns the query for DuckDB. Throws if it is no SELECT. */
  translate(query: string): Promise<string> {
    const answer = this.#last.then(async () => {
      this.#process.stdin.write(`${JSON.stringify(query)}\n`);
      const line = await this.#answers.next();
      if (line.done === true) throw new Error('the translator has ended');
      const { sql, error } = JSON.parse(line.value) as { sql?: string; error?: string };
      if (sql === undefined) throw new Error(error);
      return sql;
    });
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  /** Ends the process. */
  close(): void {
    this.#process.kill();
  }
}
