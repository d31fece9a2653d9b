import autocannon from 'autocannon';

/** What to call, and how hard. */
export interface LoadTest {
  url: string;
  headers: Record<string, string>;
  connections: number;
  requests: number;
}

const TIMEOUT_SECONDS = 120;

/**
 * Sends so many requests without pause over some connections; answers the milliseconds of each answer. By number
 * and not by time: a test that ends at a moment would leave out the slowest. Throws unless all are 200.
 */
export const latenciesOf = async ({ url, headers, connections, requests }: LoadTest): Promise<number[]> => {
  const latencies: number[] = [];
  let refused = 0;
  const failures = await new Promise<number>((resolve, reject) => {
    const instance = autocannon(
      { url, headers, connections, amount: requests, timeout: TIMEOUT_SECONDS, pipelining: 1 },
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
  if (latencies.length < requests) throw new Error(`${url}: ${latencies.length} of ${requests} answers`);
  return latencies;
};
