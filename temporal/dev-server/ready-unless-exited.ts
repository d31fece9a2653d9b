import type { DamageWatch } from './damage-watch.ts';
import type { SearchAttributes } from '../ensure-search-attributes.ts';
import type { ServerProcess } from './server-process.ts';
import { waitUntilReady } from './wait-until-ready.ts';

/** What a server must have before it can be worked with. */
export interface ServedContent {
  namespace: string;
  searchAttributes: SearchAttributes;
}

/**
 * {@link waitUntilReady} that rejects at once when the server ends, rather than when the time is over, and when it has reported
 * damage of its database. It answers even then.
 *
 * @param address host:port of the gRPC frontend
 */
export async function readyUnlessExited(
  server: ServerProcess,
  address: string,
  { namespace, searchAttributes }: ServedContent,
  damage: DamageWatch,
  timeoutMs: number,
): Promise<void> {
  const ended = new AbortController();
  void server.exited.then((code) => {
    ended.abort(new Error(`it ended with ${code === null ? 'a signal' : `exit code ${code}`}`));
  });
  void damage.found.then((words) => {
    ended.abort(damaged(words));
  });
  await waitUntilReady({ address, namespace, searchAttributes, timeoutMs, signal: ended.signal }).catch(
    (error: unknown) => {
      ended.signal.throwIfAborted();
      throw error;
    },
  );
  const words = await damage.look();
  if (words !== null) throw damaged(words);
}

const damaged = (words: string): Error => new Error(`its database is damaged: ${words}`);
