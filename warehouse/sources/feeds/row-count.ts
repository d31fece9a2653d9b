import { invalid } from '../../../domain/shared/errors.ts';
import type { CountRows } from './export-files.ts';

/** A second count of the rows of a feed's files, which runs beside the reader. */
export interface RowCount {
  /**
   * Returns how many rows the reader has dropped without a report because their lines are too long.
   *
   * @param read how many rows the reader has reported.
   * @param longLines how many of them it rejected because of their length.
   * @throws ServiceError `invalid` if other rows are missing, or if the reader has more rows than the files.
   */
  droppedLines: (read: number, longLines: number) => Promise<number>;
  /** Aborts the count. */
  stop: () => void;
}

/** Starts to count the rows of a feed, file by file. If a part of the feed cannot be counted, the feed is not counted. */
export function startRowCount(counts: readonly (CountRows | null)[]): RowCount {
  const controller = new AbortController();
  const sumBy = async (by: 'lines' | 'records'): Promise<Awaited<ReturnType<CountRows>> | null> => {
    const sum = { rows: 0, longRows: 0, isRemote: false };
    for (const count of counts) {
      if (count === null) return null;
      const { rows, longRows, isRemote } = await count(by, controller.signal);
      sum.rows += rows;
      sum.longRows += longRows;
      sum.isRemote ||= isRemote;
    }
    return sum;
  };
  const lines = sumBy('lines');
  // `droppedLines` throws this error. If a reading fails first, nobody awaits it.
  lines.catch((error: unknown) => error);
  return {
    droppedLines: async (read, longLines) => {
      const quick = await lines;
      if (quick === null || quick.rows === read) return 0;
      // Lines are not rows if fields hold line breaks, or if they are blank.
      const exact = await sumBy('records');
      const missing = exact === null ? 0 : exact.rows - read;
      if (exact === null || (missing >= 0 && missing <= Math.max(0, exact.longRows - longLines)))
        return missing;
      throw invalid(
        `the files hold ${exact.rows} rows, but the reader found ${read}: ` +
          'a quote that never closes, or line ends of several kinds' +
          (exact.isRemote ? ', or a host that does not serve the same bytes each time' : '') +
          '; nothing was loaded',
      );
    },
    stop: () => {
      controller.abort();
    },
  };
}
