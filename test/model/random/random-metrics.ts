import fc from 'fast-check';
import type { Day } from '../../../domain/shared/calendar.ts';
import type { SpendPick } from '../../../domain/spend/spend-pick.ts';
import type { StoryMetric, StoryValue } from '../organisation-story.ts';
import { SPEND_DAYS } from './random-deliveries.ts';
import { ACCOUNTS, HOSTS } from './random-resources.ts';
import { label, spelledPick } from './random-spellings.ts';

/** Days of values and of ranges to read, mostly in January. */
export const days = fc.oneof(
  fc.constantFrom(...(SPEND_DAYS['2026-01'] ?? [])),
  fc.constantFrom(...Object.values(SPEND_DAYS).flat()),
);
const namespaces = fc.constantFrom('shop', 'kiosk', 'nobody');
const clusters = fc.constantFrom('prod', 'edge');
const accounts = fc.constantFrom(...ACCOUNTS);
const services = fc.constantFrom('compute', 'storage');
const hosts = fc.constantFrom(...HOSTS.map(({ host }) => host), 'host-9');

/** A pick in one of the nine forms of metrics. Some picks name things that no feed has. */
const plainPick: fc.Arbitrary<SpendPick> = fc.oneof(
  fc.record({ source: fc.constant('kubernetes' as const), cluster: clusters, namespace: namespaces }),
  fc.record({
    source: fc.constant('kubernetes' as const),
    cluster: clusters,
    namespace: namespaces,
    workload: fc.constantFrom('deployment/api', 'deployment/web'),
  }),
  fc.record({ source: fc.constant('host' as const), host: hosts }),
  fc.record({ source: fc.constant('host' as const), host: hosts, service: fc.constantFrom('db', 'mail') }),
  accounts.map((account) => ({ source: 'cloud' as const, ...account })),
  fc.record({ account: accounts, service: services }).map(({ account, service }) => ({
    source: 'cloud' as const,
    ...account,
    service,
  })),
  fc
    .record({ account: accounts, group: fc.constantFrom('rg-web', 'rg-other') })
    .map(({ account, group }) => ({
      source: 'cloud' as const,
      ...account,
      resource_group: group,
    })),
  fc.record({
    source: fc.constant('cloud' as const),
    cloud: fc.constantFrom('aws', 'azure', 'gcp'),
    tag: fc.constantFrom(
      { key: 'team', value: 'search' },
      { key: 'team', value: 'web' },
      { key: 'team', value: 'café' },
      { key: 'env', value: 'prod' },
    ),
  }),
  fc.record({
    source: fc.constant('repository' as const),
    repository: fc.constantFrom('github.com/acme/web', 'github.com/acme/api', 'github.com/acme/new'),
  }),
);
export const pick = plainPick.chain(spelledPick);
export const picks = fc.array(pick, { minLength: 1, maxLength: 4 });

/** A drawn metric. The number of its team may exceed the number of teams. */
export const randomMetric: fc.Arbitrary<StoryMetric> = fc
  .record({
    aggregation: fc.constantFrom<StoryMetric['aggregation']>('total', 'average'),
    frequency: fc.constantFrom<StoryMetric['frequency']>('daily', 'monthly'),
    scope: fc.oneof(
      { weight: 1, arbitrary: fc.constant({ picks: null, team: null }) },
      { weight: 3, arbitrary: fc.record({ picks, team: fc.constant(null) }) },
      { weight: 1, arbitrary: fc.record({ picks: fc.constant(null), team: fc.nat(3) }) },
    ),
    labelled: fc.boolean(),
    target: fc.constantFrom(null, '1.5', '0'),
  })
  .map(({ scope, ...metric }) => ({ ...metric, ...scope }));

/** Drawn values. The metric decides the period, and whether the label counts. */
export type DrawnValues = { day: Day; label: string; value: string }[];
const valuesOn = (day: fc.Arbitrary<Day>): fc.Arbitrary<DrawnValues> =>
  fc.array(
    fc.record({
      day,
      label,
      value: fc.oneof(
        fc.constant('0'),
        fc.nat(20).map(String),
        fc.nat(999_999_999).map((units) => `${units % 7}.${units.toString().padStart(10, '0')}`),
      ),
    }),
    { minLength: 1, maxLength: 4 },
  );

export const drawnValues = valuesOn(days);
/** Values of the running month and of the same days of the month before. */
export const runningValues = valuesOn(
  fc.constantFrom('2026-02-01', '2026-02-10', '2026-01-01', '2026-01-10'),
);

/** Returns the values in the form of a metric, with each period and label once. A label can come in two spellings. */
export function fitting(of: StoryMetric, drawn: DrawnValues): StoryValue[] {
  const values = new Map<string, StoryValue>();
  for (const { day, label, value } of drawn) {
    const period = of.frequency === 'daily' ? day : `${day.slice(0, 7)}-01`;
    const fitted = { period, label: of.labelled ? label : '', value };
    values.set(`${fitted.period} ${fitted.label}`, fitted);
  }
  return [...values.values()];
}
