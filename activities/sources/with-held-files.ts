import { HeldFiles } from '../../egress/locations/held-files.ts';
import type { LoadResult } from '../../warehouse/sources/publishing/load.ts';
import { RejectedFeed, type FeedCounts } from '../../warehouse/sources/feeds/read-feed.ts';

/** Keeps the local files that `work` holds open until it has ended. Results and errors have the files' own names. */
export async function withHeldFiles(work: (held: HeldFiles) => Promise<LoadResult>): Promise<LoadResult> {
  const held = new HeldFiles();
  const named = <Counts extends FeedCounts>(counts: Counts): Counts => ({
    ...counts,
    rejectedSamples: counts.rejectedSamples.map(({ file, ...sample }) => ({
      ...sample,
      file: file === null ? null : held.named(file),
    })),
  });
  try {
    return named(await work(held));
  } catch (error) {
    if (error instanceof RejectedFeed) throw new RejectedFeed(held.named(error.message), named(error.counts));
    if (error instanceof Error) error.message = held.named(error.message);
    throw error;
  } finally {
    await held.release();
  }
}
