import { startService, type Service } from '../client/service.ts';
import { alone, secondsOf, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { median } from '../statistics.ts';

/** A question, and the key that asks it. */
interface Question {
  name: string;
  path: string;
  secret: string;
}

/** How long the first answer of a service may take, in milliseconds. */
const MOST_MS = 250;

/** Measures answers of a service that has just started: a new start for each, because one answer warms up the next. */
export async function firstAnswers(
  start: () => Promise<Service>,
  questions: readonly Question[],
  { quick, repetitions }: RunOptions,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const { name, path, secret } of questions) {
    const milliseconds: number[] = [];
    for (let round = 0; round < (quick ? 1 : repetitions); round += 1) {
      const service = await start();
      try {
        const headers = { 'x-api-key': secret };
        // Neither the connection of the client nor the check of the key belongs to the answer.
        await (await fetch(`${service.url}/api/v1/auth/info`, { headers })).arrayBuffer();
        const seconds = await secondsOf(async () => {
          const answer = await fetch(`${service.url}/api/v1${path}`, { headers });
          if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
          await answer.arrayBuffer();
        });
        milliseconds.push(seconds * 1_000);
      } finally {
        await service.stop();
      }
    }
    const named = { benchmark: 'answers', name: `${name}, first after a start`, unit: 'ms' } as const;
    measurements.push(alone({ ...named, target: MOST_MS }, median(milliseconds)));
  }
  return measurements;
}

/** Returns how a service starts again on the data of one that has been stopped, each time a minute later. */
export function startAgain(
  directory: string,
  firstStart: string,
  environment: Record<string, string>,
): () => Promise<Service> {
  let time = Date.parse(firstStart);
  return async () => {
    const CLOCK = new Date(time).toISOString();
    time += 60_000;
    return (await startService(directory, { ...environment, CLOCK })).ready;
  };
}
