import { stringify } from 'csv-stringify/sync';
import type { Random } from '../../bench/data/random.ts';
import { POISONED_FOCUS_ROWS } from './poisoned-rows.ts';

/** Returns one of several items, with equal probability. */
export const oneOf = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[random.between(0, items.length - 1)] ?? items[0];

/** Texts with a special meaning to some parser. */
const TEXTS = [
  ...['', ' ', '0', '-0', '-1', '1e308', '1e-400', '1_000', '1,5', '0x10', 'NaN', 'infinity', '-infinity'],
  ...['9'.repeat(40), '-99999999999999999999.999999999999999', 'NULL', 'null', 'undefined', 'true'],
  ...[
    'epoch',
    '1969-12-31',
    '0001-01-01 (BC)',
    '99999-01-01',
    '2026-02-30',
    '2026-01-10',
    '2026-01',
    '24:00',
  ],
  ...['2026-01-10T00:00:00+25:00', '2026-01-10T00:00:60Z', '294247-01-10T04:00:54Z', '5881580-07-10'],
  ...['\0', '\u0001', '\u202e', '\ufeff', '\ud83d', 'é', '💸', '\r', '\n', '\r\n', '"', '""', '","', "'; --"],
  ...['../../etc/passwd', '%00', '{}', '[]', '{"a":', '__proto__', 'x'.repeat(300), 'x'.repeat(70_000)],
] as const;

/** Bytes with a special meaning in CSV, gzip, Parquet or HTTP. */
const PIECES = [
  ...[
    '"',
    '""',
    '\r',
    '\n',
    '\r\n',
    '\0',
    ',',
    ';',
    '\t',
    '\ufeff',
    'PAR1',
    'NULL',
    '\r\n\r\n',
    '0\r\n\r\n',
    ': ',
  ].map((text) => Buffer.from(text)),
  ...[
    [0xff, 0xfe],
    [0xc3],
    [0xed, 0xa0, 0x80],
    [0x1f, 0x8b],
    [0xff, 0xff, 0xff, 0x7f],
    [0x80, 0x80, 0x80, 0x80, 0x08],
  ].map((bytes) => Buffer.from(bytes)),
  ...TEXTS.slice(0, 30).map((text) => Buffer.from(text)),
] as const;

const place = (random: Random, bytes: Buffer): number => random.between(0, bytes.length);

const replaced = (bytes: Buffer, from: number, to: number, by: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, from), by, bytes.subarray(to)]);

type Change = (bytes: Buffer, random: Random) => Buffer;

const CHANGES: readonly [Change, ...Change[]] = [
  (bytes, random) => {
    const copy = Buffer.from(bytes);
    const at = random.between(0, Math.max(0, copy.length - 1));
    if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << random.between(0, 7));
    return copy;
  },
  (bytes, random) => {
    const at = place(random, bytes);
    return replaced(bytes, at, at + 1, Buffer.from([random.between(0, 255)]));
  },
  (bytes, random) => {
    const at = place(random, bytes);
    return replaced(bytes, at, at, oneOf(random, PIECES as unknown as [Buffer, ...Buffer[]]));
  },
  (bytes, random) => {
    const at = place(random, bytes);
    const piece = oneOf(random, PIECES as unknown as [Buffer, ...Buffer[]]);
    return replaced(bytes, at, at + piece.length, piece);
  },
  (bytes, random) => {
    const at = place(random, bytes);
    return replaced(bytes, at, at + random.between(1, 200), Buffer.alloc(0));
  },
  (bytes, random) => {
    const [from, at] = [place(random, bytes), place(random, bytes)];
    return replaced(bytes, at, at, bytes.subarray(from, from + random.between(1, 200)));
  },
  (bytes, random) => bytes.subarray(0, place(random, bytes)),
  (bytes, random) => {
    const at = place(random, bytes);
    const length = Math.min(random.between(1, 64), bytes.length - at);
    return replaced(bytes, at, at + length, Buffer.alloc(length, oneOf(random, [0, 0xff, 0x20, 0x0a, 0x22])));
  },
];

/** Returns the bytes with one to four changes: flipped bits, pieces inserted, removed, repeated or moved, an early end. */
export function mutatedBytes(bytes: Buffer, random: Random): Buffer {
  let changed = bytes;
  // Most inputs get one change, because an early end is likely among four.
  for (let count = random.next() < 0.6 ? 1 : random.between(2, 4); count > 0; count -= 1)
    changed = oneOf(random, CHANGES)(changed, random);
  return changed;
}

/** Returns a text with mutated bytes, or another text. */
const mutatedText = (text: string, random: Random): string =>
  random.next() < 0.6
    ? oneOf(random, TEXTS as unknown as [string, ...string[]])
    : mutatedBytes(Buffer.from(text), random).toString();

/** A FOCUS row by its columns. */
export type Row = Readonly<Record<string, string>>;

/** Columns that decide what a row costs, when, and whose it is. A currency fails a whole load, so it is rare. */
const FOCUS_COLUMNS = [
  ...[
    'ChargePeriodStart',
    'ChargePeriodEnd',
    'BillingPeriodStart',
    'BillingPeriodEnd',
    'EffectiveCost',
    'BilledCost',
  ],
  ...[
    'ProviderName',
    'SubAccountId',
    'SubAccountName',
    'ServiceName',
    'ResourceId',
    'Tags',
    'ChargeCategory',
  ],
] as const;

/** Returns a row with mutated cells, and whether it must be rejected. */
export function mutatedRow(row: Row, random: Random): { row: Row; isPoisoned: boolean } {
  if (random.next() < 0.3) {
    const [poison] = POISONED_FOCUS_ROWS[random.between(0, POISONED_FOCUS_ROWS.length - 1)] ?? [{}];
    return { row: { ...row, ...(poison as Row) }, isPoisoned: true };
  }
  const changed: Record<string, string> = { ...row };
  for (let count = random.between(1, 2); count > 0; count -= 1) {
    const column = FOCUS_COLUMNS[random.between(0, FOCUS_COLUMNS.length - 1)] ?? 'Tags';
    const name = random.next() < 0.002 ? 'BillingCurrency' : column;
    changed[name] = mutatedText(row[name] ?? '', random);
  }
  return { row: changed, isPoisoned: false };
}

/** Returns rows as CSV, with each cell unchanged. */
export const csvOf = (rows: readonly Row[]): string => stringify([...rows], { header: true });

/** JSON values, and invalid JSON, to replace other values. */
const JSON_TEXTS = [
  ...[
    'null',
    'true',
    '[]',
    '{}',
    '""',
    '0',
    '-1',
    '-0',
    '1.5',
    '1e999',
    '-1e999',
    '1e-400',
    '9007199254740993',
  ],
  ...[
    '9'.repeat(400),
    '0.' + '1'.repeat(400),
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u0000"',
    '"a\\u0007b"',
    '"a\\nb"',
  ],
  ...[
    '"\\u202e"',
    '"__proto__"',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{}}}',
    '[null]',
    '[[]]',
  ],
  ...[
    '"infinity"',
    '"99999-01-01"',
    '"2026-13-45"',
    '"2026-01-10"',
    '"2026-01"',
    '"9999-12-31T23:59:59.999Z"',
  ],
  ...[
    '"+010000-01-01T00:00:00Z"',
    '"0000-01-01"',
    '"' + 'x'.repeat(10_000) + '"',
    '"' + 'é'.repeat(300) + '"',
  ],
  ...['NaN', 'undefined', "'x'", '01', '"\u0001"', '"', '[', '{', '}', ',', '"\\x"', '{"a":1,"a":2}'],
  ...[10, 63, 64, 65, 1_000, 100_000].map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  ...[10, 65, 10_000].map((depth) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)),
  `[${'0,'.repeat(10_001)}0]`,
] as const;

/** Returns a body as JSON with one to three mutations: other values, unknown or missing fields, or other bytes. */
export function mutatedJson(body: unknown, random: Random): Buffer {
  const size = nodesOf(body);
  const chosen = new Set<number>();
  for (let count = random.between(1, 3); count > 0; count -= 1) chosen.add(random.between(0, size - 1));
  let node = -1;
  const textOf = (value: unknown): string => {
    node += 1;
    const isChosen = chosen.has(node);
    if (isChosen && random.next() < 0.7)
      return JSON_TEXTS[random.between(0, JSON_TEXTS.length - 1)] ?? 'null';
    if (typeof value === 'string') {
      // The service would send requests to a URL with another host.
      const isUrl = value.startsWith('http');
      return JSON.stringify(isChosen && !isUrl ? mutatedText(value, random) : value);
    }
    if (Array.isArray(value)) {
      const items = value.map(textOf);
      return `[${(isChosen ? [...items, ...items] : items).join(',')}]`;
    }
    if (typeof value === 'object' && value !== null) {
      const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}:${textOf(field)}`);
      if (isChosen) fields.splice(random.between(0, fields.length), random.between(0, 1), '"unknown":1');
      return `{${fields.join(',')}}`;
    }
    return isChosen && typeof value === 'number'
      ? String(value * 10 ** random.between(-30, 30))
      : JSON.stringify(value);
  };
  const bytes = Buffer.from(textOf(body));
  return random.next() < 0.1 && !bytes.includes('http') ? mutatedBytes(bytes, random) : bytes;
}

const nodesOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce((sum: number, field: unknown) => sum + nodesOf(field), 0)
    : 1;

const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PURGE',
  'get',
  'G T',
];
const HEADERS = [
  ...[
    'Host: ',
    'Host: a\r\nHost: b',
    'Host: [::1',
    'Expect: 100-continue',
    'Expect: a miracle',
    'Upgrade: h2c\r\nConnection: Upgrade',
  ],
  ...[
    'Content-Length: -1',
    'Content-Length: 5\r\nContent-Length: 6',
    'Content-Length: 99999999999999999999',
    'Content-Length: 0',
  ],
  ...[
    'Transfer-Encoding: chunked',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: identity',
    'TE: trailers',
  ],
  ...[
    'Content-Encoding: gzip',
    'Content-Type: application/json; charset=utf-16',
    'Content-Type: text/csv',
    'Content-Type: ,',
    'Accept: text/csv',
  ],
  ...[
    'Accept: application/vnd.apache.arrow.stream',
    'Accept: ;q=',
    'Connection: close',
    'Connection: keep-alive',
    'X-API-Key: ',
  ],
  ...[
    'X-API-Key: a\r\nX-API-Key: b',
    'Cookie: a=b',
    'Range: bytes=0-',
    'If-None-Match: *',
    ' folded: x',
    'no colon',
    ': no name',
  ],
  ...[
    'X-HTTP-Method-Override: DELETE',
    `X-Long: ${'x'.repeat(20_000)}`,
    'Ünïcode: é',
    'X-Nul: a\0b',
    'Origin: null',
  ],
];
const PATHS = [
  ...[
    '/',
    '*',
    '//',
    '/api/v1',
    '/api/v1/',
    '/api/v1/costs?start_date=2026-01-01&end_date=2026-01-31',
    '/api/v1/metrics',
  ],
  ...[
    '/api/v1/costs?start_date=infinity&end_date=%00',
    '/api/v1/%2e%2e/operator',
    '/api/v1/../../etc/passwd',
    '/api//v1/metrics',
  ],
  ...[
    '/api/v1/%',
    '/api/v1/%ff',
    '/api/v1/metrics/%00',
    '/API/V1/METRICS',
    'http://other/api/v1/metrics',
    '/api/v1/metrics#x',
  ],
  ...[
    '/operator/organisations',
    '/api/v1/metrics?limit=1e9',
    '/api/v1/metrics?cursor=%ff',
    '/api/v1/keys?cursor=e30',
    '/livez',
    '/readyz',
  ],
  ...[
    `/api/v1/${'x'.repeat(9_000)}`,
    `/api/v1/costs/breakdown?${'group_by=day&'.repeat(300)}`,
    '/api/v1/audit-log?cursor=bnVsbA',
  ],
  ...[
    '/api/v1/costs/breakdown?start_date=2026-01-01&end_date=2026-01-31&group_by=tag',
    '/openapi.json',
    '/docs',
    '/metrics',
    '/api/v1/a\tb',
  ],
];

/** Returns a request with odd parts, half of the time with mutated bytes. */
export function mutatedRequest(key: string, random: Random): Buffer {
  const from = (items: readonly string[]): string => items[random.between(0, items.length - 1)] ?? '';
  const method = random.next() < 0.6 ? from(METHODS.slice(0, 5)) : from(METHODS);
  const headers = [
    ...(random.next() < 0.95 ? ['Host: localhost'] : []),
    ...(random.next() < 0.8 ? [`X-API-Key: ${key}`] : []),
    ...Array.from({ length: random.between(0, 2) }, () => from(HEADERS)),
  ];
  const body =
    random.next() < 0.4
      ? mutatedJson({ name: 'Orders', values: [{ period: '2026-01-01', value: 1 }] }, random)
      : Buffer.alloc(0);
  const isChunked = random.next() < 0.3;
  if (body.length > 0) {
    headers.push('Content-Type: application/json');
    headers.push(
      isChunked
        ? 'Transfer-Encoding: chunked'
        : `Content-Length: ${body.length + (random.next() < 0.1 ? random.between(-5, 5) : 0)}`,
    );
  }
  const version =
    random.next() < 0.9
      ? 'HTTP/1.1'
      : from(['HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'HTTP/1.1 ', 'http/1.1', '']);
  const head = `${method} ${from(PATHS)} ${version}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`;
  const sent =
    isChunked && body.length > 0
      ? [
          Buffer.from(`${body.length.toString(16)}${random.next() < 0.2 ? ';x="\r' : ''}\r\n`),
          body,
          Buffer.from(random.next() < 0.8 ? '\r\n0\r\n\r\n' : '\r\nzz\r\n'),
        ]
      : [body];
  const bytes = Buffer.concat([Buffer.from(head), ...sent]);
  return random.next() < 0.5 ? mutatedBytes(bytes, random) : bytes;
}
