import { answerParent } from './bare-process.ts';

/** The addresses to read in turn, and for how long. */
export interface LightReads {
  urls: readonly string[];
  secret: string;
  milliseconds: number;
}

/** The time of each read in milliseconds, and the number of reads without a 200. */
export interface LightReadTimes {
  times: number[];
  failed: number;
}

answerParent(async ({ urls, secret, milliseconds }: LightReads): Promise<LightReadTimes> => {
  const end = performance.now() + milliseconds;
  const times: number[] = [];
  let failed = 0;
  for (let index = 0; performance.now() < end; index += 1) {
    const start = performance.now();
    const answer = await fetch(urls[index % urls.length] ?? '', { headers: { 'x-api-key': secret } });
    await answer.arrayBuffer();
    times.push(performance.now() - start);
    if (answer.status !== 200) failed += 1;
  }
  return { times, failed };
});
