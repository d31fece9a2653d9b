import { invalid } from '../../../domain/shared/errors.ts';
import type { CountRows } from './export-files.ts';

/** A second count of the rows of a feed's files, beside their reading. */
export interface RowCount {
  /**
   * How many rows the reader has dropped without a report because their lines are too long.
   *
   * @param read how many rows the reader has reported.
   * @param longLines of them, those that it rejected because of their length.
   * @throws ServiceError `invalid` if other rows are missing, or there are more than the files hold.
   */
  droppedLines: (read: number, longLines: number) => Promise<number>;
  /** Ends what is still under way. */
  stop: () => void;
}

/** Begins to count the rows of a feed, file after file. If nothing counts a part of the feed, the feed is not counted. */
export const startRowCount = (counts: readonly (CountRows | null)[]): RowCount => {
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
  // `droppedLines` reports this error; a reading that fails before never calls it.
  lines.catch((error: unknown) => error);
  return {
    droppedLines: async (read, longLines) => {
      const quick = await lines;
      if (quick === null || quick.rows === read) return 0;
      // Lines are no rows where fields hold line breaks, and blank ones are none.
      const exact = await sumBy('records');
      const missing = exact === null ? 0 : exact.rows - read;
      if (exact === null || (missing >= 0 && missing <= Math.max(0, exact.longRows - longLines)))
        return missing;
      throw invalid(
        `the files hold ${exact.rows} rows, of which ${read} could be told apart: ` +
          'a quote that never closes, or line ends of several kinds' +
          (exact.isRemote ? ', or a host that does not serve the same bytes each time' : '') +
          '; nothing was loaded',
      );
    },
    stop: () => {
      controller.abort();
    },
  };
};
