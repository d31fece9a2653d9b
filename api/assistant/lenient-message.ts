// What the gate takes beyond the letter of the protocol, because its answers are right for such clients, too.

/** The media types that the SDK demands of every client, whatever it answers with. */
const BOTH = 'application/json, text/event-stream';

/** Media ranges that JSON matches. */
const JSON_RANGES = ['application/json', 'application/*', '*/*'];

/**
 * Returns the Accept header for the SDK. It answers 406 unless a client accepts JSON and event streams. All answers of the gate are
 * JSON, so that a client that accepts JSON gets it. A client that sends no header accepts anything (RFC 9110, section 12.5.1).
 */
export const acceptFor = (sent: string | string[] | undefined): string =>
  sent === undefined || acceptsJson(String(sent)) ? BOTH : String(sent);

const acceptsJson = (accept: string): boolean =>
  accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return JSON_RANGES.includes(type) && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });

/**
 * Returns a message without `arguments: null`, which some clients send to tools that need no arguments. Other texts stay as they
 * are, so that the SDK reports what is wrong with them.
 */
export function withoutNullArguments(body: string): string {
  let message: unknown;
  try {
    message = JSON.parse(body);
  } catch {
    return body;
  }
  if (!hasNullArguments(message)) return body;
  const { arguments: _none, ...params } = message.params;
  return JSON.stringify({ ...message, params });
}

function hasNullArguments(message: unknown): message is { params: { arguments: null } } {
  const params = isObject(message) ? message['params'] : null;
  return isObject(params) && params['arguments'] === null;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
