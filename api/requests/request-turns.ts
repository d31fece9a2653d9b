import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { LoopTurns } from './loop-turns.ts';

/** How long a connection without requests stays open. */
const KEEP_ALIVE_MS = 72_000;

/**
 * Creates a server that starts one request in a turn of the event loop. Node accepts one connection in a turn. If a turn began all
 * requests that have arrived, those that come on new connections would wait for many rounds of the others.
 */
export function serverInTurns(handle: RequestListener, options: ServerOptions): Server {
  const turns = new LoopTurns();
  const server = createServer({ requestTimeout: 0, ...options }, (request, response) => {
    void turns.take('requests').then(() => {
      handle(request, response);
    });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  return server;
}
