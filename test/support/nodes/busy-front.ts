import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { forward } from './balancer.ts';

/** Stands before an object store. */
export interface BusyFront {
  url: string;
  /** While the store is away, every request gets a 503, as from a busy store. */
  setAway: (isAway: boolean) => void;
  /** Returns how many requests it has refused so. */
  refused: () => number;
  stop: () => void;
}

/** Starts a front that passes requests on to the object store at `store`. */
export const startBusyFront = async (store: string): Promise<BusyFront> => {
  let isAway = false;
  let refused = 0;
  const front = createServer((incoming, outgoing) => {
    if (isAway) {
      refused += 1;
      outgoing.writeHead(503, { 'content-type': 'application/xml' }).end(BUSY);
    } else forward(incoming, outgoing, store);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  return {
    url: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
    setAway: (away) => {
      isAway = away;
    },
    refused: () => refused,
    stop: () => {
      front.close();
      front.closeAllConnections();
    },
  };
};

const BUSY = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>SlowDown</Code></Error>';
