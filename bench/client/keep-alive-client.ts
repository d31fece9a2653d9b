import { Agent, request } from 'node:http';

/** One connection that is kept alive. It sends one request after the other. */
export interface KeepAliveClient {
  /** Sends a body, by default JSON. Returns the milliseconds from the first byte sent to the last byte received. */
  post: (url: string, headers: Record<string, string>, body: Buffer) => Promise<number>;
  close: () => void;
}

export function keepAliveClient(): KeepAliveClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    post: (url, headers, body) =>
      new Promise((resolve, reject) => {
        const started = performance.now();
        const outgoing = request(
          url,
          {
            method: 'POST',
            agent,
            headers: { 'content-type': 'application/json', ...headers, 'content-length': body.length },
          },
          (response) => {
            const chunks: Buffer[] = [];
            response.on('data', (chunk: Buffer) => chunks.push(chunk));
            response.on('end', () => {
              const milliseconds = performance.now() - started;
              if (response.statusCode === 200) resolve(milliseconds);
              else reject(new Error(`${response.statusCode ?? 0}: ${Buffer.concat(chunks).toString()}`));
            });
            response.on('error', reject);
          },
        );
        outgoing.on('error', reject);
        outgoing.end(body);
      }),
    close: () => {
      agent.destroy();
    },
  };
}
