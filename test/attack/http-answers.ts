import { connect } from 'node:net';
import { WAIT_MS } from '../support/patience.ts';

/** An answer as it came over the wire. */
interface Answer {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

/** Sends bytes over a new connection, and ends its sending side. Returns the bytes that the service sends until it closes. */
export const sendBytes = (url: string, bytes: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const received: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () => {
      socket.end(bytes);
    });
    const end = (): void => {
      socket.destroy();
      resolve(Buffer.concat(received));
    };
    socket.setTimeout(WAIT_MS, () => {
      socket.destroy();
      reject(new Error(`the connection was open for ${WAIT_MS} ms without a byte`));
    });
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('end', end);
    socket.on('close', end);
    // The service may close while bytes are still on their way. What it sent before counts.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error);
      else end();
    });
  });

/** Returns the answers in the received bytes. Throws if they are not HTTP. */
export function answersIn(received: Buffer, isHead: boolean): Answer[] {
  const answers: Answer[] = [];
  let rest = received;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1)
      throw new Error(`an answer without an end of its headers: ${rest.subarray(0, 200).toString()}`);
    const [line = '', ...fields] = rest.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
    if (Number.isNaN(status)) throw new Error(`no status line: ${line.slice(0, 200)}`);
    const headers = new Map(
      fields.map((field): [string, string] => {
        const colon = field.indexOf(':');
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    );
    rest = rest.subarray(end + 4);
    if (status === 100) continue;
    // A request that is rejected before it is parsed is not a HEAD request, so that its error has a body.
    const hasNoBody =
      isHead && answers.length === 0 && (rest.length === 0 || rest.indexOf('HTTP/1.1 ') === 0);
    const length = hasNoBody ? 0 : Number(headers.get('content-length') ?? NaN);
    if (headers.get('transfer-encoding') === 'chunked') {
      const { body, after } = unchunked(rest);
      answers.push({ status, headers, body });
      rest = after;
    } else {
      const size = Number.isNaN(length) ? rest.length : length;
      answers.push({ status, headers, body: rest.subarray(0, size) });
      rest = rest.subarray(size);
    }
  }
  return answers;
}

function unchunked(bytes: Buffer): { body: Buffer; after: Buffer } {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf('\r\n', at);
    const size = end === -1 ? NaN : Number.parseInt(bytes.subarray(at, end).toString(), 16);
    if (Number.isNaN(size)) throw new Error('an answer whose chunks do not end');
    if (size === 0) return { body: Buffer.concat(parts), after: bytes.subarray(end + 4) };
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

/** Returns the faults of an answer: a status that no caller may see, or another shape than the envelope's. */
export function faultsOf(
  { status, body, headers }: Answer,
  { isEnveloped }: { isEnveloped: boolean },
): string[] {
  const faults: string[] = [];
  if (status >= 500 && !(status === 503 && /^\d+$/.test(headers.get('retry-after') ?? '')))
    faults.push(`status ${status}: ${body.subarray(0, 200).toString()}`);
  if (isEnveloped && body.length > 0) {
    const wrong = envelopeFault(status, body.toString());
    if (wrong !== null) faults.push(`status ${status}: ${wrong}`);
  }
  return faults;
}

function envelopeFault(status: number, text: string): string | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return `no JSON: ${text.slice(0, 200)}`;
  }
  const fields =
    typeof body === 'object' && body !== null ? new Map(Object.entries(body)) : new Map<string, unknown>();
  if (status === 200)
    return fields.get('success') === true && fields.has('data') ? null : `no success: ${text.slice(0, 200)}`;
  const isError =
    fields.get('success') === false && typeof fields.get('error') === 'string' && fields.size === 2;
  return isError && fields.get('error') !== '' ? null : `no error: ${text.slice(0, 200)}`;
}
