import { expect, it } from 'vitest';
import { exportRequest } from '../../../../domain/sources/otlp/export-request.ts';
import { usagePoints } from '../../../../domain/sources/otlp/usage-points.ts';
import { COST, otlpRequest, TOKENS, type TestPoint } from '../../../support/exports/otlp-metrics.ts';

const NOW = new Date('2026-02-07T06:00:00Z');
const AT = '2026-02-06T12:00:00Z';
const POINT: TestPoint = { at: AT, value: 1.5 };
const WEB = { 'vcs.repository.url.full': 'https://github.com/Acme/Web.git' };

const read = (request: unknown, attribute = 'vcs.repository.url.full') =>
  usagePoints(exportRequest.parse(request), attribute, NOW);

it('a point has its day, its amount and the normal name of its repository', () => {
  const { points, rejected } = read(otlpRequest([POINT], { resource: WEB }));
  expect(points).toMatchObject([
    {
      counts: 'cost',
      isCumulative: false,
      repository: 'github.com/acme/web',
      time: '1770379200000000000',
      day: '2026-02-06',
      value: '1.5',
    },
  ]);
  expect(rejected).toBe(0);
});

it('the repository of a point wins over that of its resource', () => {
  const attributes = { 'vcs.repository.url.full': 'git@github.com:acme/api.git' };
  const { points } = read(otlpRequest([{ ...POINT, attributes }, POINT], { resource: WEB }));
  expect(points.map(({ repository }) => repository)).toEqual(['github.com/acme/api', 'github.com/acme/web']);
});

it('the attribute of the source names the repository; without it, usage belongs to none', () => {
  const request = otlpRequest([POINT], { resource: { ...WEB, repository: 'github.com/acme/shop' } });
  expect(read(request, 'repository').points[0]?.repository).toBe('github.com/acme/shop');
  expect(read(request, 'project').points[0]?.repository).toBeNull();
});

it('points of two sessions differ, and a point that comes twice is one', () => {
  const of = (session: string): TestPoint => ({ ...POINT, attributes: { 'session.id': session } });
  const { points } = read(otlpRequest([of('a'), of('b'), of('a')]));
  expect(points).toHaveLength(2);
});

it('other metrics are ignored, and are not rejected', () => {
  expect(read(otlpRequest([POINT], { metric: 'claude_code.session.count' }))).toEqual({
    points: [],
    rejected: 0,
    reasons: [],
  });
});

it.each([
  ['a negative amount', { ...POINT, value: -1 }, {}, `${COST}: expected a number from 0 to 1e12`],
  ['a huge amount', { ...POINT, value: 1e13 }, {}, `${COST}: expected a number from 0 to 1e12`],
  ['a day long ago', { at: '2025-11-06T23:59:59Z', value: 1 }, {}, /from 92 days ago to tomorrow/],
  ['a day in the future', { at: '2026-02-09T00:00:00Z', value: 1 }, {}, /from 92 days ago to tomorrow/],
  ['an end before its start', { ...POINT, start: '2026-02-06T13:00:00Z' }, {}, /after its start/],
  ['an unknown temporality', POINT, { temporality: 0 }, `${COST}: expected delta or cumulative temporality`],
  [
    'a long repository',
    POINT,
    { resource: { 'vcs.repository.url.full': 'x'.repeat(501) } },
    /^vcs.repository.url.full: expected a text of at most 500 characters/,
  ],
  [
    'long attributes',
    { ...POINT, attributes: { session: 'x'.repeat(9_000) } },
    { metric: TOKENS },
    /^claude_code.token.usage: expected attributes of at most 8192/,
  ],
])('a point with %s is rejected, and the others are taken', (_what, point, options, reason) => {
  const good: TestPoint = { ...POINT, attributes: { 'session.id': 'good' } };
  const { points, rejected, reasons } = read({
    resourceMetrics: [
      ...otlpRequest([point], options).resourceMetrics,
      ...otlpRequest([good]).resourceMetrics,
    ],
  });
  expect(points).toHaveLength(1);
  expect(rejected).toBe(1);
  expect(reasons).toEqual([expect.stringMatching(reason)]);
});

it.each([
  ['a whole number as text', { asInt: '12', asDouble: undefined }, '12'],
  ['a whole number', { asInt: 12, asDouble: undefined }, '12'],
  ['a tiny number', { asDouble: 1.25e-7 }, '0.000000125'],
])('%s is an amount', (_what, changes, amount) => {
  const request = otlpRequest([POINT]);
  const [point] = request.resourceMetrics[0]?.scopeMetrics[0]?.metrics[0]?.sum.dataPoints ?? [];
  Object.assign(point ?? {}, changes);
  expect(read(request).points[0]?.value).toBe(amount);
});

it.each(['NaN', 'Infinity', '', 'one'])('%j is no amount', (asDouble) => {
  const request = otlpRequest([POINT]);
  const [point] = request.resourceMetrics[0]?.scopeMetrics[0]?.metrics[0]?.sum.dataPoints ?? [];
  Object.assign(point ?? {}, { asDouble });
  expect(read(request)).toMatchObject({ points: [], rejected: 1 });
});
