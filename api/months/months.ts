import { z } from 'zod';
import { invalid } from '../../domain/shared/errors.ts';
import { labelPart } from '../../domain/months/month-labels.ts';
import { countsToWire, frozenNumbers, revenueToWire } from '../../domain/months/month-numbers.ts';
import { unreadableLock } from '../../domain/months/unreadable-values.ts';
import type { MonthRecord } from '../../domain/months/month-record.ts';
import { computeMetricMonths } from '../../warehouse/months/metric-months.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import {
  layLabelSums,
  READ_LABEL_SUMS,
  READ_TOP_LABEL_SUMS,
  type MonthToPart,
  type PlacedLabelSum,
} from '../../warehouse/months/month-labels.ts';
import { listMonthVersions, lockMonth } from '../../warehouse/months/month-locks.ts';
import type { Organisation } from '../../warehouse/organisations/organisations.ts';
import type { Session } from '../../warehouse/engine/session.ts';
import { callerOf } from '../access/authentication.ts';
import { requestedChange, requestedNumbers, requestedVisible } from '../access/revenue-access.ts';
import type { NumberDependencies } from '../http/dependencies.ts';
import { noteUpdates } from '../http/note-updates.ts';
import { JSON_TYPE } from '../http/error-answers.ts';
import { idParams, month } from '../http/fields.ts';
import { countMonth, monthRecord, monthVersion, revenueMonth } from './month-fields.ts';
import { monthRangeQuery, requestedMonths } from '../http/month-range.ts';
import { monthsOf, readMonths } from './read-months.ts';
import { answers, answersPage, success } from '../routes/route-schema.ts';
import type { Api } from '../http/api-type.ts';
import { closeSignal, sendStream } from '../http/files/tabular.ts';

const monthParams = idParams.extend({ month });

const lockBody = z
  .strictObject({
    accept_missing: z
      .boolean({ error: 'expected true or false' })
      .default(false)
      .describe('Locks a month that only doubts hold back; the version keeps their sentences'),
  })
  .nullish();

const labels = z
  .array(
    z.object({
      label: z.string().nullable().describe('With `top`, null for all other labels, which come last'),
      value: z.number(),
      share_percent: z.number().nullable(),
    }),
  )
  .optional()
  .describe('The parts of the value by label, with `by=label`');

const TOP = { error: 'expected a whole number from 1 to 100' };

const monthsQuery = monthRangeQuery
  .extend({
    by: z.literal('label', { error: 'expected "label"' }).optional().describe('Adds `labels` to each month'),
    top: z.coerce
      .number(TOP)
      .int(TOP)
      .min(1, TOP)
      .max(100, TOP)
      .optional()
      .describe(
        'With `by=label`: only this many labels, those with the largest sum of values over the shown months, in this order in ' +
          'each month, and all others as one last item',
      ),
  })
  .refine(({ by, top }) => by !== undefined || top === undefined, {
    path: ['top'],
    error: 'expected only with by=label',
  });

const labelledMonthRecord = countMonth
  .extend({ labels, current: countMonth.shape.current.unwrap().extend({ labels }).optional() })
  .meta({ id: 'LabelledMonth' });

/**
 * Yields the answer with months and the parts of their values by label. One transaction reads everything, so that the parts add
 * up. The answer comes in pieces, because a month can have more labels than memory should hold. A locked month shows the labels
 * that its lock froze, and once it has changed also today's (docs/http.md#read-and-lock-months). `top` limits the labels to the
 * largest.
 */
const labelledMonths = async function* (
  dependencies: Pick<NumberDependencies, 'warehouse' | 'clock' | 'noteChange'>,
  organisation: Organisation,
  metric: Metric,
  { months: range, next_cursor }: Awaited<ReturnType<typeof requestedMonths>>,
  top: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { warehouse, clock } = dependencies;
  const now = clock.now();
  const { on } = noteUpdates(
    dependencies,
    organisation.id,
    await computeMetricMonths(warehouse, organisation.id, [metric], now),
  );
  const lists: LabelList[] = [];
  const prepare = (session: Session): Promise<void> =>
    session.onOneState(async () => {
      const months = await readMonths(on(session), organisation, [metric], now, { range });
      lists.push(...(months.get(metric.id) ?? []).flatMap(labelLists));
      await layLabelSums(
        session,
        organisation.id,
        metric,
        lists.map(({ of }) => of),
      );
    });
  const [read, parameters] = top === undefined ? [READ_LABEL_SUMS, {}] : [READ_TOP_LABEL_SUMS, { top }];
  const batches = warehouse.stream<PlacedLabelSum>(read, [parameters], signal, prepare);
  yield* labelledText(lists, batches);
  yield `],"next_cursor":${JSON.stringify(next_cursor)}}`;
};

/** A list of labels in the answer, with the month that it belongs to and the text around it. */
interface LabelList {
  of: MonthToPart;
  before: string;
  after: string;
}

function labelLists(record: MonthRecord): LabelList[] {
  const { current, ...month } = countMonth.parse(record);
  const isLocked = month.locked !== null;
  const opened = (part: object): string => `${JSON.stringify(part).slice(0, -1)},"labels":[`;
  const shown = { of: { month: record.month, isLocked, isBesideLock: false }, before: opened(month) };
  if (current === undefined) return [{ ...shown, after: ']}' }];
  return [
    { ...shown, after: '],"current":' },
    {
      of: { month: record.month, isLocked: false, isBesideLock: true },
      before: opened(current),
      after: ']}}',
    },
  ];
}

const labelledText = async function* (
  lists: readonly LabelList[],
  batches: AsyncIterable<readonly PlacedLabelSum[]>,
): AsyncGenerator<string> {
  let place = -1;
  let isFirst = true;
  /** Returns the text that ends the lists before the one at `until`, and begins that one. */
  const goTo = (until: number): string => {
    let text = '';
    for (; place < until; isFirst = true) {
      const ended = lists[place]?.after ?? '';
      place += 1;
      text += `${ended}${ended.endsWith('}') ? ',' : ''}${lists[place]?.before ?? ''}`;
    }
    return text;
  };
  // Nothing is sent before the first batch, so that an error until then still sets the status.
  let text = '{"success":true,"data":[';
  for await (const sums of batches) {
    for (const sum of sums) {
      text += goTo(sum.place);
      text += `${isFirst ? '' : ','}${JSON.stringify(labelPart(sum))}`;
      isFirst = false;
    }
    yield text;
    text = '';
  }
  yield `${text}${goTo(lists.length - 1)}${lists.at(-1)?.after ?? ''}`;
};

/** `…/metrics/{id}/months`: the life of a month (docs/concepts.md#a-month-and-its-states). */
export function monthRoutes(app: Api, dependencies: NumberDependencies): void {
  const { warehouse, clock } = dependencies;

  app.get(
    '/metrics/:id/months',
    {
      config: {
        isKept: true,
        access: 'read',
        feature: 'unit_economics',
        isHeavy: ({ query }) => (query as { by?: unknown }).by !== undefined,
      },
      schema: answersPage(z.union([labelledMonthRecord, revenueMonth]), {
        operationId: 'getMetricMonths',
        tag: 'Months',
        summary: 'The last twelve months, or others, newest first, the running one included',
        params: idParams,
        querystring: monthsQuery,
        errors: [404],
      }),
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { by, top, ...asked } = request.query;
      const requested = await requestedMonths(asked, clock.now());
      const metric = await requestedVisible(dependencies, request);
      if (by === undefined) {
        const range = Object.keys(asked).length === 0 ? undefined : requested.months;
        const months = await monthsOf(dependencies, caller, [metric], 'months', range);
        return { ...success(months.get(metric.id) ?? []), next_cursor: requested.next_cursor };
      }
      if (metric.label_key === null)
        throw invalid('by: expected no "label" on a metric without a label key, got "label"');
      const pieces = labelledMonths(
        dependencies,
        caller.organisation,
        metric,
        requested,
        top,
        closeSignal(reply),
      );
      return sendStream(reply, JSON_TYPE, pieces);
    },
  );

  app.post(
    '/metrics/:id/months/:month/lock',
    {
      config: { access: 'admin', feature: 'unit_economics', changesNumbers: true },
      schema: answers(monthRecord, {
        operationId: 'lockMonth',
        tag: 'Months',
        summary: 'Lock a month, or lock it again after a value changed, as a new version',
        body: lockBody,
        params: monthParams,
        errors: [404, 409],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const { metric, vault } = await requestedChange(dependencies, request);
      return success(
        await lockMonth(warehouse, caller.organisation, metric, request.params.month, {
          actor: caller.actor,
          now: clock.now(),
          acceptMissing: request.body?.accept_missing ?? false,
          vault,
        }),
      );
    },
  );

  app.get(
    '/metrics/:id/months/:month/versions',
    {
      config: { access: 'read', feature: 'unit_economics' },
      schema: answers(z.array(monthVersion), {
        operationId: 'getMonthVersions',
        tag: 'Months',
        summary: 'The locked versions of a month, newest first',
        params: monthParams,
        errors: [404],
      }),
    },
    async (request) => {
      const caller = callerOf(request);
      const { metric, vault } = await requestedNumbers(dependencies, request, 'versions');
      const versions = await listMonthVersions(
        warehouse,
        caller.organisation.id,
        metric.id,
        request.params.month,
        vault,
      );
      const toWire = metric.kind === 'revenue' ? revenueToWire : countsToWire;
      return success(
        versions.map(({ cost, value, unit_cost, ...version }) => ({
          ...version,
          reason: value === null ? unreadableLock(version.version) : null,
          ...toWire(frozenNumbers({ cost, value, unitCost: unit_cost })),
        })),
      );
    },
  );
}
