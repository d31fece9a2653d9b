/** The tenant that sends the inputs. */
export interface Attacker {
  key: string;
  operatorKey: string;
  metricId: string;
}

/** Bytes that no honest client sends, with the status of their answer. Error answers are exactly the envelope. */
export interface HostileRequest {
  name: string;
  status: number;
  bytes: (attacker: Attacker) => Buffer;
}

const HOST = 'Host: service';
const KEY = 'X-API-Key: {key}';
const OPERATOR = 'X-Operator-Key: {operator}';
const JSON_TYPE = 'Content-Type: application/json';

const filled = (text: string, { key, operatorKey, metricId }: Attacker): string =>
  text.replaceAll('{key}', key).replaceAll('{operator}', operatorKey).replaceAll('{metric}', metricId);

/** Makes a request of this exact text. */
const raw = (name: string, status: number, text: string): HostileRequest => ({
  name,
  status,
  bytes: (attacker) => Buffer.from(filled(text, attacker), 'latin1'),
});

/** Makes a request of a line and headers, without a body. The connection closes after it. */
const head = (status: number, line: string, ...headers: string[]): HostileRequest =>
  raw(
    `${line.slice(0, 60)} ${headers.map((header) => header.slice(0, 30)).join(', ')}`,
    status,
    `${line} HTTP/1.1\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`,
  );

/** Makes the same request with and without a key, because the service checks the key first. */
const path = (target: string, status: number, key = KEY): HostileRequest[] => [
  head(401, `GET ${target}`, HOST),
  head(status, `GET ${target}`, HOST, key),
];

/** Makes a request with a body for a route that takes JSON. */
const body = (
  name: string,
  status: number,
  content: string | Buffer,
  { target = '/api/v1/keys', method = 'POST', headers = [JSON_TYPE] } = {},
): HostileRequest => ({
  name: `${method} ${target} ${name}`,
  status,
  bytes: (attacker) => {
    const bytes = Buffer.from(content);
    const lines = [
      `${method} ${target} HTTP/1.1`,
      HOST,
      KEY,
      ...headers,
      `Content-Length: ${bytes.length}`,
      'Connection: close',
    ];
    return Buffer.concat([Buffer.from(filled(`${lines.join('\r\n')}\r\n\r\n`, attacker)), bytes]);
  },
});

const METHODS = ['PROPFIND', 'SEARCH', 'TRACE', 'OPTIONS', 'MKCOL', 'M-SEARCH', 'PURGE', 'PUT', 'PATCH'];
const CONTROL = ['\\u0000', '\\n', '\\r', '\\t', '\\u001b', '\\u007f', '\\u0085', '\u007f', '\u009f'];
const key = (fields: object): string => JSON.stringify({ name: 'x', permission: 'read', ...fields });
const values = { target: '/api/v1/metrics/{metric}/values' };
const oneValue = (value: string): string => `{"values":[{"period":"2026-01-05","value":${value}}]}`;

export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  // Invalid HTTP.
  raw('no HTTP', 400, 'this is no HTTP\r\n\r\n'),
  raw('HTTP/2 preface', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  raw('HTTP/3', 400, `GET / HTTP/3.0\r\n${HOST}\r\n\r\n`),
  raw('TLS', 400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  raw('NUL in a header', 400, `GET /livez HTTP/1.1\r\n${HOST}\r\nX: a\0b\r\n\r\n`),
  raw('space in the path', 400, `GET /a b HTTP/1.1\r\n${HOST}\r\n\r\n`),
  raw('header folding', 400, `GET /livez HTTP/1.1\r\n${HOST}\r\nX: a\r\n b\r\n\r\n`),
  raw('unknown method', 400, `FOO /api/v1/health HTTP/1.1\r\n${HOST}\r\n\r\n`),
  raw('CONNECT', 400, `CONNECT other:80 HTTP/1.1\r\n${HOST}\r\n\r\n`),
  raw('large headers', 431, `GET /livez HTTP/1.1\r\n${HOST}\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`),
  raw('long path', 431, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n\r\n`),
  ...['zz', '-1', '0x', 'ffffffffffffffffffff'].map((size) =>
    raw(
      `chunk of ${size} bytes`,
      400,
      `POST /api/v1/keys HTTP/1.1\r\n${HOST}\r\n${KEY}\r\n${JSON_TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n${size}\r\n{}\r\n0\r\n\r\n`,
    ),
  ),
  ...['Content-Length: 2\r\nTransfer-Encoding: chunked', 'Content-Length: 2\r\nContent-Length: 3', 'Content-Length: -1',
    'Content-Length: 2, 2', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity'].map(
    (lengths) => raw(lengths, 400, `POST /api/v1/keys HTTP/1.1\r\n${HOST}\r\n${KEY}\r\n${JSON_TYPE}\r\n${lengths}\r\n\r\n{}`),
  ), // prettier-ignore

  // Requests that Node would answer by itself.
  head(400, 'GET /api/v1/health', KEY),
  head(400, 'GET /livez'),
  head(417, 'GET /livez', HOST, 'Expect: 200-ok'),
  head(417, 'HEAD /livez', HOST, 'Expect: 200-ok'),
  head(401, 'GET /api/v1/health', HOST, 'Connection: Upgrade', 'Upgrade: websocket'),
  head(200, 'GET /api/v1/health', HOST, KEY, 'Connection: Upgrade', 'Upgrade: h2c'),
  head(404, 'OPTIONS *', HOST),

  // The key is checked before the path.
  ...METHODS.flatMap((method) => [
    head(401, `${method} /api/v1/health`, HOST),
    head(404, `${method} /api/v1/health`, HOST, KEY),
    head(401, `${method} /operator/organisations`, HOST),
    head(404, `${method} /docs`, HOST),
  ]),
  head(401, 'QUERY /api/v1/health', HOST),
  head(401, 'HEAD /api/v1/nothing', HOST),
  head(404, 'HEAD /api/v1/nothing', HOST, KEY),
  ...['/api/v1/metrics/%ZZ', '/api/v1/metrics/%E0%A4%A', '/api/v1/%', '/api/v1/metrics?cursor=%ZZ', '/api/v1/metrics?cursor=%FF',
    '/api/v1/metrics/met%00nul', '/api/v1/metrics?cursor=%00', '/api/v1/metrics?a%0A=1', '/api/v1/metrics/%C2%85'].flatMap(
    (target) => path(target, 400),
  ), // prettier-ignore
  ...['/api/v1', '/api/v1/', '/api/v1//health', '/api/v1/health;x=1', `/api/v1/metrics/${'m'.repeat(9_000)}`, '/api/v1/metrics/%252e',
    '/api/v1/metrics/..%2fkeys', '/api/v1/metrics/%2525'].flatMap((target) => path(target, 404)), // prettier-ignore
  ...path('/operator/%ZZ', 400, OPERATOR),
  ...path('/operator/organisations/%00', 400, OPERATOR),
  ...path(`/operator/${'o'.repeat(9_000)}`, 404, OPERATOR),
  head(401, 'GET http://other/api/v1/health', HOST),
  ...['/docs/%ZZ', '/%ZZ', '/openapi.json?x=%ZZ', '/livez?x=%00', '/docs/static/%00'].map((target) =>
    head(400, `GET ${target}`, HOST),
  ),
  ...['/docs/static/nothing', '/docs/static/..%2f..%2fpackage.json', '/docs/static/.git', '/docs/x', '//api/v1/health'].map(
    (target) => head(404, `GET ${target}`, HOST),
  ), // prettier-ignore
  head(401, 'GET /api/v1/health', HOST, `X-API-Key: ${'k'.repeat(10_000)}`),
  head(401, 'GET /api/v1/health', HOST, KEY, KEY),

  ...['http:///api/v1/health', 'https://[::1/api/v1/health', 'HTTP://a:b@c/api/v1/health'].map((target) =>
    head(401, `GET ${target}`, HOST),
  ),
  // At / only the dashboard answers, and only to GET.
  head(404, 'POST http://', HOST),

  // Bodies.
  ...[65, 1_000, 1_000_000].flatMap((depth) => [
    body(`${depth} arrays`, 400, `${'['.repeat(depth)}${']'.repeat(depth)}`, values),
    body(`${depth} objects that never close`, 400, '{"a":'.repeat(depth), values),
  ]),
  ...['0', '{}', '"x"', '""'].map((item) =>
    body(`a million items ${item}`, 400, `{"values":[${`${item},`.repeat(1e6)}${item}]}`, values),
  ),
  body('a million fields', 400, `{"a":1${',"b":1'.repeat(1e6)}}`, values),
  body('100,000 items', 400, `{"events":[0${',0'.repeat(99_000)}]}`, { target: '/api/v1/webhooks' }),
  body('commas in a text', 400, key({ name: ','.repeat(200_000) })),
  body('brackets in a text', 400, key({ name: '['.repeat(70) + '\\"'.repeat(70), colour: 1 })),
  ...CONTROL.flatMap((character) => [
    body(`name with ${JSON.stringify(character)}`, 400, `{"name":"a${character}b","permission":"read"}`),
    body(
      `field with ${JSON.stringify(character)}`,
      400,
      `{"name":"x","permission":"read","a${character}b":1}`,
    ),
  ]),
  body('half a surrogate pair', 400, '{"name":"\\ud800","permission":"read"}'),
  body('invalid UTF-8', 400, Buffer.from('{"name":"\xff","permission":"read"}', 'latin1')),
  body('overlong NUL', 400, Buffer.from('{"name":"\xc0\x80","permission":"read"}', 'latin1')),
  body('UTF-16', 400, Buffer.from(key({}), 'utf16le')),
  body('__proto__', 400, '{"__proto__":{"permission":"admin"}}'),
  body('a truncated object', 400, '{"name":"x"'),
  ...['=latin1', '=utf-16', '=us-ascii', '="', '=', ' =latin1', '=utf-8; charset=utf-16', ''].map((charset) =>
    body(`in charset${charset}`, 415, key({}), { headers: [`${JSON_TYPE}; charset${charset}`] }),
  ),
  ...['br', 'x', 'identity, gzip', 'gzip, gzip'].flatMap((encoding) => [
    body(`encoded as ${encoding}`, 415, '{}', { headers: [JSON_TYPE, `Content-Encoding: ${encoding}`] }),
    body(`encoded as ${encoding}`, 415, '2026-01-05,1', {
      target: '/api/v1/metrics/{metric}/values/csv',
      headers: ['Content-Type: text/csv', `Content-Encoding: ${encoding}`],
    }),
  ]),
  ...['gzip', 'x-gzip'].flatMap((encoding) => [
    body(`not encoded as ${encoding}`, 400, '{}', { headers: [JSON_TYPE, `Content-Encoding: ${encoding}`] }),
    body(`not encoded as ${encoding}`, 400, '2026-01-05,1', {
      target: '/api/v1/metrics/{metric}/values/csv',
      headers: ['Content-Type: text/csv', `Content-Encoding: ${encoding}`],
    }),
  ]),
  body('as XML', 415, '<name/>', { headers: ['Content-Type: application/xml'] }),
  body('without a type', 415, '{}', { headers: [] }),
  body('larger than a body may be', 413, `"${'x'.repeat(2 ** 20)}"`),
  body('larger than a body of values may be', 413, `"${'x'.repeat(2 ** 23)}"`, values),

  // Instants and numbers at the ends of their ranges.
  ...['9999-12-31T23:59:59-23:59', '+010000-01-01T00:00:00Z', '275760-09-13T00:00:00Z', '0000-01-01T00:00:00Z',
    '2026-02-30T00:00:00Z', 'infinity'].map((expires_at) => body(`expires_at ${expires_at}`, 400, key({ expires_at }))), // prettier-ignore
  ...['1e400', '-1e400', '1e308', '1e16', '-1', '-0.0000000001', 'NaN', 'Infinity', '"1"', '[1]', '01'].map(
    (number) => body(`value ${number}`, 400, oneValue(number), values),
  ),
  body('a field twice', 400, '{"values":[{"period":"2026-01-05","value":1,"value":2}]}', values),
  ...['10000-01-01', '0000-01-01', '-001-01-01', 'infinity', 'epoch', '2026-02-30', '9999-12-31'].map(
    (period) => body(`period ${period}`, 400, JSON.stringify({ values: [{ period, value: 1 }] }), values),
  ),
  body('settle_days 1e99', 400, '{"settle_days":1e99}', { target: '/api/v1/organisation', method: 'PATCH' }),
  ...['1e400', '1e308', '-1', '"1"'].map((target) =>
    body(`target ${target}`, 400, `{"target":${target}}`, {
      target: '/api/v1/metrics/{metric}',
      method: 'PATCH',
    }),
  ),
  ...[
    'limit=1e4',
    'limit=99999999999999999999',
    'limit=-0',
    'start=10000-01-01',
    'end=infinity',
    'start=0000-13',
  ].map((query) => head(400, `GET /api/v1/metrics/{metric}/values?${query}`, HOST, KEY)),
  ...['start_date=10000-01-01&end_date=10000-01-02', 'start_date=-1&end_date=2026-01-01', 'start_date=2026-01-02&end_date=2026-01-01'].map(
    (query) => head(400, `GET /api/v1/costs?${query}`, HOST, KEY),
  ), // prettier-ignore
];
