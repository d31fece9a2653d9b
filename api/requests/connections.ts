import type { Socket } from 'node:net';
import type { Api } from '../http/api-type.ts';

export interface ConnectionLimits {
  /** Most open connections. */
  mostConnections: number;
  /** How long running requests may take once the service stops, in ms. */
  patienceMs: number;
}

interface Connection {
  /** Whether a request on it had a valid key or session. */
  isKnown: boolean;
  /** Requests that have no complete answer yet. */
  running: number;
  /** When it was opened, or its last request ended. */
  idleSince: number;
}

/**
 * Bounds the connections of the service, so that strangers who keep connections open lock nobody out. At the limit, the connection
 * that has been idle for longest makes place: first those of strangers, also while they wait for an answer, and then those of
 * callers with a key. If all callers wait for answers, it closes the new one.
 *
 * When the service stops, it waits for running requests, but no longer than `patienceMs`, because some client may never read its
 * answer. It does not wait for connections that are idle, or that have sent nothing yet.
 */
export function limitConnections(app: Api, { mostConnections, patienceMs }: ConnectionLimits): void {
  let closing = false;
  const connections = new Map<Socket, Connection>();

  app.server.on('connection', (socket: Socket) => {
    if (connections.size >= mostConnections) {
      const other = mostDispensable(connections);
      if (other === null) {
        socket.destroy();
        return;
      }
      other.destroy();
      connections.delete(other);
    }
    connections.set(socket, { isKnown: false, running: 0, idleSince: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });
  app.server.on('request', ({ socket }, response) => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.running += 1;
    response.once('close', () => {
      connection.running -= 1;
      connection.idleSince = performance.now();
    });
  });
  // By now, the hooks of the scope have checked the key.
  app.addHook('preParsing', ({ raw, caller, originalUrl }, _reply, _payload, done) => {
    const connection = connections.get(raw.socket);
    if (connection !== undefined && (caller?.actor !== undefined || originalUrl.startsWith('/operator/')))
      connection.isKnown = true;
    done();
  });

  app.addHook('preClose', async () => {
    closing = true;
    app.server.keepAliveTimeout = 1;
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    const grace = setTimeout(() => {
      for (const socket of connections.keys()) socket.destroy();
    }, patienceMs);
    app.server.once('close', () => {
      clearTimeout(grace);
    });
  });
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (closing) reply.header('connection', 'close');
    done();
  });
}

/** Returns the connection that makes place for a new one; null if every one belongs to a caller who waits for an answer. */
function mostDispensable(connections: ReadonlyMap<Socket, Connection>): Socket | null {
  let found: Socket | null = null;
  let least = { rank: 3, since: 0 };
  for (const [socket, { isKnown, running, idleSince }] of connections) {
    const rank = isKnown ? (running > 0 ? 3 : 2) : running > 0 ? 1 : 0;
    if (rank < least.rank || (rank === least.rank && rank < 3 && idleSince < least.since)) {
      found = socket;
      least = { rank, since: idleSince };
    }
  }
  return found;
}
