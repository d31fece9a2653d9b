import autocannon from 'autocannon';

/** What to call, and how hard. */
export interface LoadTest {
  url: string;
  headers: Record<string, string>;
  connections: number;
  seconds: number;
}

/** Calls a URL without pause on some connections; answers the milliseconds of each answer. Throws unless all are 200. */
export const latenciesOf = async ({ url, headers, connections, seconds }: LoadTest): Promise<number[]> => {
  const latencies: number[] = [];
  let refused = 0;
  const failures = await new Promise<number>((resolve, reject) => {
    const instance = autocannon(
      { url, headers, connections, duration: seconds, pipelining: 1 },
      (error: unknown, result) => {
        if (error) reject(error instanceof Error ? error : new Error('autocannon failed'));
        else resolve(result.errors + result.timeouts + result.non2xx);
      },
    );
    // autocannon's own histogram knows whole milliseconds only.
    instance.on('response', (_client: unknown, status: number, _bytes: number, milliseconds: number) => {
      if (status === 200) latencies.push(milliseconds);
      else refused += 1;
    });
  });
  if (failures + refused > 0) throw new Error(`${url}: ${failures + refused} answers other than 200`);
  return latencies;
};
