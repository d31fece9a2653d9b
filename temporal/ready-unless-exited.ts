import type { SearchAttributes } from './ensure-search-attributes.ts';
import type { ServerProcess } from './server-process.ts';
import { waitUntilReady } from './wait-until-ready.ts';

/** What a server must have before it can be worked with. */
export interface ServedContent {
  namespace: string;
  searchAttributes: SearchAttributes;
}

/**
 * {@link waitUntilReady} that rejects at once when the server ends, rather than when the time is over.
 *
 * @param address host:port of the gRPC frontend
 */
export async function readyUnlessExited(
  server: ServerProcess,
  address: string,
  { namespace, searchAttributes }: ServedContent,
  timeoutMs: number,
): Promise<void> {
  const ended = new AbortController();
  void server.exited.then((code) => {
    ended.abort(new Error(`it ended with ${code === null ? 'a signal' : `exit code ${code}`}`));
  });
  await waitUntilReady({ address, namespace, searchAttributes, timeoutMs, signal: ended.signal }).catch(
    (error: unknown) => {
      ended.signal.throwIfAborted();
      throw error;
    },
  );
}
