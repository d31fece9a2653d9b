import { answerParent } from './bare-process.ts';

/** What is read, in turn, for so long. */
export interface LightReads {
  urls: readonly string[];
  secret: string;
  milliseconds: number;
}

/** How long each read took, in milliseconds, and how many were not answered by a 200. */
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
