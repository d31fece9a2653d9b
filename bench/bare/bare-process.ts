import { fork } from 'node:child_process';
import { join } from 'node:path';

/** One of our programs in a separate process. It handles one request message after the other. */
export interface BareProcess<Request extends object, Answer> {
  ask: (request: Request) => Promise<Answer>;
  pid: number;
  stop: () => Promise<void>;
}

/** A program's reply: its result, or an error. */
export type Reply<Answer> = { ok: true; answer: Answer } | { ok: false; error: string };

/** Starts `dist/bench/<program>.js`. Its thread pool is as large as the product's. */
export function startBareProcess<Request extends object, Answer>(
  program: string,
  args: readonly string[] = [],
): BareProcess<Request, Answer> {
  const child = fork(join(import.meta.dirname, `${program}.js`), args, {
    env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
  });
  const exited = new Promise<void>((ended) => {
    child.on('exit', () => {
      ended();
    });
  });
  if (child.pid === undefined) throw new Error(`cannot start ${program}`);
  return {
    pid: child.pid,
    ask: async (request) => {
      const replied = new Promise<Reply<Answer>>((resolve) => {
        child.once('message', (reply) => {
          resolve(reply as Reply<Answer>);
        });
      });
      child.send(request);
      const reply = await Promise.race([
        replied,
        exited.then(() => ({ ok: false as const, error: 'it ended' })),
      ]);
      if (!reply.ok) throw new Error(`${program}: ${reply.error}`);
      return reply.answer;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Answers each message of the parent with the result of `work`. Runs in the separate process. */
export function answerParent(work: (request: never) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit());
  process.on('message', (request) => {
    work(request as never).then(
      (answer) => process.send?.({ ok: true, answer } satisfies Reply<unknown>),
      (error: unknown) => process.send?.({ ok: false, error: String(error) } satisfies Reply<unknown>),
    );
  });
}
