import fc from 'fast-check';
import type { Day, Month } from '../../../domain/shared/calendar.ts';
import { plainLine, type Delivery, type Feed, type Kind } from '../organisation-story.ts';
import { randomDelivery, SPEND_DAYS, SPEND_MONTHS } from './random-deliveries.ts';
import { billedResource, clusterResource, HOSTS } from './random-resources.ts';

const MOST_ROWS = 10;
const FIFTEEN = 10 ** 15;

/** Amounts, whole or with up to fifteen decimals. Some are credits, and some are too precise for a double. */
const amount = fc
  .record({
    credit: fc.oneof(
      { weight: 5, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    whole: fc.oneof({ weight: 9, arbitrary: fc.nat(20) }, { weight: 1, arbitrary: fc.nat(2_000_000_000) }),
    decimals: fc.oneof(
      fc.constant(0),
      fc.nat(9).map((digit) => digit * 10 ** 14),
      fc.nat(FIFTEEN - 1),
    ),
  })
  .map(
    ({ credit, whole, decimals }) => `${credit ? '-' : ''}${whole}.${decimals.toString().padStart(15, '0')}`,
  );

const usage = fc.oneof(
  fc.nat(5).map(String),
  fc.nat(999_999).map((micros) => `0.${micros.toString().padStart(6, '0')}`),
);

const orNone = <Value>(...values: Value[]): fc.Arbitrary<Value | null> => fc.constantFrom(null, ...values);

const tags: fc.Arbitrary<Record<string, string>> = fc.constantFrom<Record<string, string>[]>(
  {},
  { team: 'search' },
  { team: 'web' },
  { team: 'café' },
  { env: 'prod' },
  { team: 'search', env: 'prod' },
);

/** A feed without the files that deliver it. */
type Rows = Feed extends infer Each ? (Each extends Feed ? Omit<Each, keyof Delivery> : never) : never;

const FEEDS: Readonly<Record<Kind, (day: fc.Arbitrary<Day>) => fc.Arbitrary<Rows>>> = {
  focus: (day) =>
    fc.record({
      kind: fc.constant('focus' as const),
      lines: rows(
        fc
          .record({
            billed: billedResource,
            day,
            service: orNone('compute', 'storage'),
            resource_group: orNone('rg-web', 'rg-other'),
            tags,
            cost: amount,
          })
          .map(({ billed, ...line }) => ({ ...line, ...billed })),
      ),
    }),
  opencost: (day) => {
    const cluster = fc.constantFrom('prod', 'edge');
    const names = fc.constantFrom(
      { namespace: null, workload: null },
      { namespace: 'shop', workload: 'deployment/api' },
      { namespace: 'shop', workload: 'deployment/web' },
      { namespace: 'kiosk', workload: 'deployment/api' },
    );
    return fc.record({
      kind: fc.constant('opencost' as const),
      allocations: rows(
        fc
          .record({ day, cluster, names, cost: amount })
          .map(({ names: named, ...row }) => ({ ...row, ...named })),
      ),
      assets: rows(
        fc
          .record({ day, cluster, called: clusterResource, cost: amount })
          .map(({ called, ...row }) => ({ ...row, ...called })),
      ),
    });
  },
  hosts: (day) =>
    fc.record({
      kind: fc.constant('hosts' as const),
      shares: rows(
        fc
          .record({
            day,
            on: fc.constantFrom(...HOSTS),
            named: fc.constantFrom(false, true, true),
            service: orNone('db', 'mail'),
            cost: amount,
          })
          // A feed may name the machine only on some rows of a host.
          .map(({ on: { host, machine }, named, ...row }) => ({
            ...row,
            host,
            machine: named ? machine : null,
          })),
      ),
    }),
  ai_tools: (day) => {
    const tool = fc.constantFrom('assistant', 'reviewer');
    return fc.record({
      kind: fc.constant('ai_tools' as const),
      spend: rows(fc.record({ day, tool, cost: amount })),
      usage: rows(
        fc.record({ day, tool, repository: orNone('github.com/acme/web', 'github.com/acme/api'), usage }),
      ),
    });
  },
};

const rows = <Row>(row: fc.Arbitrary<Row>): fc.Arbitrary<Row[]> =>
  fc.array(row, { maxLength: MOST_ROWS, size: 'max' });

/**
 * Returns the days of a unit with spend on every day from one day of the month to another. It may have a hole, or weekends off.
 * Most feeds get no days.
 */
const steadyDays = (month: Month, isSteady = fc.constantFrom(true, false, false)): fc.Arbitrary<Day[]> =>
  fc
    .record({
      isSteady,
      first: fc.constantFrom(1, 1, 1, 3, 20),
      last: fc.constantFrom(4, 12, 20, 28, 31, 31),
      hole: fc.constantFrom([0, 0], [0, 0], [10, 10], [5, 18]),
      weekends: fc.constantFrom(true, true, false),
    })
    .map(({ isSteady: steady, first, last, hole: [from = 0, through = 0], weekends }) =>
      !steady
        ? []
        : Array.from({ length: 31 }, (_, index) => index + 1)
            .filter((day) => day >= first && day <= last && !(day >= from && day <= through))
            .map((day) => `${month}-${String(day).padStart(2, '0')}`)
            .filter((day) => new Date(`${day}T00:00:00Z`).getUTCDate() === Number(day.slice(-2)))
            .filter((day) => weekends || ![0, 6].includes(new Date(day).getUTCDay())),
    );

/** Returns the feed with a unit that has spend on some days. */
const withSteadyUnit = (feed: Feed, days: readonly Day[]): Feed =>
  days.reduce((all, day) => deliveredThrough(all, day, '1.5'), feed);

/** Returns a random feed of one month, which may have a unit with spend on every day. */
export const randomFeed = (kind: Kind, month: Month): fc.Arbitrary<Feed> =>
  fc
    .record({ feed: sparseFeed(kind, month), days: steadyDays(month), delivery: randomDelivery(kind, month) })
    .map(({ feed, days, delivery }) => withSteadyUnit({ ...feed, ...delivery }, days));

/** Returns a random feed of one month with a unit that has spend on most days, from one of them to another. */
export const steadyFeed = (kind: Kind, month: Month): fc.Arbitrary<Feed> =>
  fc
    .record({ feed: sparseFeed(kind, month), days: steadyDays(month, fc.constant(true)) })
    .map(({ feed, days }) => withSteadyUnit({ ...feed, ...PLAIN }, days));

/** A delivery of which each row can be read, and stands once. */
const PLAIN: Delivery = { rejected: [], isMostlyReadable: true, copies: [] };

/** Returns a feed of one month. A bill may also have days of other months, and some bills have only such corrections. */
function sparseFeed(kind: Kind, month: Month): fc.Arbitrary<Rows> {
  const [first, ...others] = SPEND_DAYS[month] ?? [];
  if (first === undefined) throw new Error(`no days of ${month} to spend on`);
  const ofMonth = fc.oneof(fc.constant(first), fc.constantFrom(first, ...others));
  if (kind !== 'focus') return FEEDS[kind](ofMonth);
  const anyDay = fc.constantFrom(...Object.values(SPEND_DAYS).flat());
  const lastDays = SPEND_MONTHS.filter((other) => other !== month).flatMap(
    (other) => SPEND_DAYS[other]?.at(-1) ?? [],
  );
  return fc.oneof(
    {
      weight: 5,
      arbitrary: FEEDS.focus(fc.oneof({ weight: 9, arbitrary: ofMonth }, { weight: 1, arbitrary: anyDay })),
    },
    { weight: 1, arbitrary: FEEDS.focus(fc.constantFrom(...lastDays)) },
  );
}

/** Returns the feed with a row on a day, by default of cost 0, so that the feed is delivered through that day. */
export function deliveredThrough(feed: Feed, day: Day, cost = '0'): Feed {
  switch (feed.kind) {
    case 'focus':
      return {
        ...feed,
        lines: [...feed.lines, plainLine(day, cost)],
      };
    case 'opencost':
      return {
        ...feed,
        allocations: [...feed.allocations, { day, cluster: 'prod', namespace: null, workload: null, cost }],
      };
    case 'hosts':
      return {
        ...feed,
        shares: [...feed.shares, { day, host: 'host-1', service: null, machine: null, cost }],
      };
    case 'ai_tools':
      return { ...feed, spend: [...feed.spend, { day, tool: 'assistant', cost }] };
  }
}

/** Returns the names of the clusters or hosts that a feed reports. */
function machinesOf(feed: Feed): string[] {
  if (feed.kind === 'opencost') return feed.allocations.map(({ cluster }) => cluster);
  return feed.kind === 'hosts' ? feed.shares.map(({ host }) => host) : [];
}

/**
 * Returns the feed with rows of cost 0, so that its source lacks no day of the month: neither the first nor the last one, nor any
 * day of a cluster or host that it or an earlier feed has. Otherwise hardly any month would settle.
 */
export function withEveryDay(feed: Feed, earlier: readonly Feed[], days: readonly Day[]): Feed {
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const reached = deliveredThrough(deliveredThrough(feed, first), last);
  const machines = [...new Set([reached, ...earlier].flatMap(machinesOf))];
  const zeros = machines.flatMap((name) => days.map((day) => ({ name, day, cost: '0' })));
  if (reached.kind === 'opencost') {
    const added = zeros
      .filter(({ name, day }) => !reached.allocations.some((row) => row.cluster === name && row.day === day))
      .map(({ name, ...row }) => ({ ...row, cluster: name, namespace: null, workload: null }));
    return { ...reached, allocations: [...reached.allocations, ...added] };
  }
  if (reached.kind !== 'hosts') return reached;
  const added = zeros
    .filter(({ name, day }) => !reached.shares.some((row) => row.host === name && row.day === day))
    .map(({ name, ...row }) => ({ ...row, host: name, service: null, machine: null }));
  return { ...reached, shares: [...reached.shares, ...added] };
}
