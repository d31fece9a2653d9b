import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { AnswerToRead } from './answer-thread.ts';
import { readAnswer, type Answer, type Answered } from './opencost-answers.ts';

/** The built program of the thread, because Node cannot run the sources. */
const PROGRAM = createRequire(import.meta.url).resolve('#answer-thread');

/** A shorter answer takes the time of a few requests. A thread takes longer to begin. */
const SHORT = 256 * 1024;

/** Memory for the objects of an answer. One that needs more ends its thread, and not the process. */
const LIMITS = { maxOldGenerationSizeMb: 1024 };

/**
 * Reads an answer of an API, as `readAnswer` does, while the process does other work. A long answer is read in a thread of its own.
 *
 * @returns 'too costly' for an answer that takes too much memory, or has too many items of a wrong shape.
 */
export async function readApart<Kind extends keyof Answered>(
  kind: Kind,
  text: string,
  signal: AbortSignal,
): Promise<Answer<Answered[Kind]> | null | 'too costly'> {
  if (text.length <= SHORT) return readAnswer(kind, text);
  const thread = new Worker(PROGRAM, {
    workerData: { kind, text } satisfies AnswerToRead,
    resourceLimits: LIMITS,
  });
  try {
    const [answer] = (await once(thread, 'message', { signal })) as [Answer<Answered[Kind]> | null];
    return answer;
  } catch {
    signal.throwIfAborted();
    return 'too costly';
  } finally {
    await thread.terminate();
  }
}
