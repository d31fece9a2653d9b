import autocannon from 'autocannon';

/** The route to call, and how often and on how many connections. */
export interface LoadTest {
  url: string;
  headers: Record<string, string>;
  connections: number;
  requests: number;
}

const TIMEOUT_SECONDS = 120;

/**
 * Sends a number of requests without pause over some connections, and returns the milliseconds of each response. Sends a number
 * because a test that ends after a fixed time would leave out the slowest. Throws unless all responses are 200.
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
    // autocannon's own histogram has only whole milliseconds.
    instance.on('response', (_client: unknown, status: number, _bytes: number, milliseconds: number) => {
      if (status === 200) latencies.push(milliseconds);
      else refused += 1;
    });
  });
  if (failures + refused > 0) throw new Error(`${url}: ${failures + refused} answers other than 200`);
  if (latencies.length < requests) throw new Error(`${url}: ${latencies.length} of ${requests} answers`);
  return latencies;
};
