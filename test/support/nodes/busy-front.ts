import { listenLocally, type LocalServer } from '../fakes/file-server.ts';
import { forward } from './balancer.ts';

/** Stands before an object store. */
export interface BusyFront extends Pick<LocalServer, 'url' | 'close'> {
  /** While the store is away, every request gets a 503, as from a busy store. */
  setAway: (isAway: boolean) => void;
  /** Returns how many requests it has refused so. */
  refused: () => number;
}

/** Starts a front that passes requests on to the object store at `store`. */
export async function startBusyFront(store: string): Promise<BusyFront> {
  let isAway = false;
  let refused = 0;
  const { url, close } = await listenLocally((incoming, outgoing) => {
    if (isAway) {
      refused += 1;
      outgoing.writeHead(503, { 'content-type': 'application/xml' }).end(BUSY);
    } else forward(incoming, outgoing, store);
  });
  return {
    url,
    close,
    setAway: (away) => {
      isAway = away;
    },
    refused: () => refused,
  };
}

const BUSY = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code></Error>';
