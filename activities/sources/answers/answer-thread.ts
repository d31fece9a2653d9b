// The thread that reads one large answer of an API (read-apart.ts).
import { parentPort, workerData } from 'node:worker_threads';
import { readAnswer, type Answered } from './opencost-answers.ts';

/** What the thread gets. */
export interface AnswerToRead {
  kind: keyof Answered;
  text: string;
}

const { kind, text } = workerData as AnswerToRead;
parentPort?.postMessage(readAnswer(kind, text));
