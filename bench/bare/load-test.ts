import autocannon from 'autocannon';

/** The route to call, and how often and on how many connections. */
export interface LoadTest {
  url: string;
  headers: Record<string, string>;
  connections: number;
  requests: number;
}

const TIMEOUT_SECONDS = 120;

/** The milliseconds of each response, and the seconds from the first request to the last response. */
export interface LoadTimes {
  latencies: number[];
  seconds: number;
}

/**
 * Sends a number of requests without pause over some connections. Sends a number because a test that ends after a fixed time would
 * leave out the slowest. Throws unless all responses are 200.
 */
export async function timesOfLoad({ url, headers, connections, requests }: LoadTest): Promise<LoadTimes> {
  const latencies: number[] = [];
  let refused = 0;
  const started = performance.now();
  let last = started;
  const failures = await new Promise<number>((resolve, reject) => {
    const instance = autocannon(
      { url, headers, connections, amount: requests, timeout: TIMEOUT_SECONDS, pipelining: 1 },
      (error: unknown, result) => {
        if (error) reject(error instanceof Error ? error : new Error('autocannon failed'));
        else resolve(result.errors + result.timeouts + result.non2xx);
      },
    );
    // autocannon's own histogram has only whole milliseconds, and it ends only at a whole second.
    instance.on('response', (_client: unknown, status: number, _bytes: number, milliseconds: number) => {
      last = performance.now();
      if (status === 200) latencies.push(milliseconds);
      else refused += 1;
    });
  });
  if (failures + refused > 0) throw new Error(`${url}: ${failures + refused} answers other than 200`);
  if (latencies.length < requests) throw new Error(`${url}: ${latencies.length} of ${requests} answers`);
  return { latencies, seconds: (last - started) / 1000 };
}

/** Returns the milliseconds of each response; see {@link timesOfLoad}. */
export const latenciesOf = async (test: LoadTest): Promise<number[]> => (await timesOfLoad(test)).latencies;
