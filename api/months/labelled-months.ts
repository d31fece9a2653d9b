import { labelPart } from '../../domain/months/month-labels.ts';
import type { MonthRecord } from '../../domain/months/month-record.ts';
import type { Session } from '../../warehouse/engine/session.ts';
import type { Warehouse } from '../../warehouse/engine/warehouse.ts';
import type { Metric } from '../../warehouse/metrics/metrics.ts';
import {
  layLabelSums,
  READ_LABEL_SUMS,
  READ_TOP_LABEL_SUMS,
  type MonthToPart,
  type PlacedLabelSum,
} from '../../warehouse/months/month-labels.ts';
import type { Organisation } from '../../warehouse/organisations/organisations.ts';
import type { ComputedSpend } from '../../warehouse/spend/compute-spend.ts';
import type { requestedMonths } from '../http/month-range.ts';
import { countMonth } from './month-fields.ts';
import { readMonths } from './read-months.ts';

/** Whose months are labelled. */
interface Labelled {
  organisation: Organisation;
  metric: Metric;
  now: Date;
  /** How many labels, if not all. */
  top: number | undefined;
}

/**
 * Yields the answer with months and the parts of their values by label. One transaction reads everything, so that the parts add
 * up. The answer comes in pieces, because a month can have more labels than memory should hold. A locked month shows the labels
 * that its lock froze, and once it has changed also today's (docs/http.md#read-and-lock-months). `top` limits the labels to the
 * largest.
 */
export const labelledMonths = async function* (
  warehouse: Warehouse,
  { on }: ComputedSpend,
  { organisation, metric, now, top }: Labelled,
  { months: range, next_cursor }: Awaited<ReturnType<typeof requestedMonths>>,
  signal: AbortSignal,
): AsyncGenerator<string> {
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
