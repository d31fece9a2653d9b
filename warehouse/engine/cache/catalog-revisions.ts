import { randomUUID } from 'node:crypto';
import { shareNextRun } from '../../../domain/shared/share-next-run.ts';
import { sqlText } from '../sql/sql-text.ts';
import type { CatalogReader } from './catalog-reader.ts';
import { RevisionLog } from './revisions.ts';
import type { Touch } from './touched.ts';

/** What a commit says about itself in the catalog. */
interface Announcement {
  node: string;
  touches: readonly Touch[];
}

interface Snapshot {
  id: string;
  author: string | null;
  announcement: string | null;
}

/**
 * The revisions of a DuckLake, in which other nodes write, too. Each commit stores in the catalog what it touches. Each query of the
 * catalog reads what the other nodes have committed since the last one. A snapshot without a message, or one that is gone, counts as
 * a change of everything.
 */
export class CatalogRevisionLog extends RevisionLog {
  readonly #node = randomUUID();
  readonly #reader: CatalogReader;
  #newest: Snapshot | null = null;

  constructor(reader: CatalogReader) {
    super();
    this.#reader = reader;
  }

  /** Catches up with the other nodes. Callers at the same time share a query, which begins after all of them. */
  readonly catchUp = shareNextRun(() => this.#catchUp());

  override close(): void {
    this.#reader.close();
  }

  /** Returns the statement that stores in the catalog what the running transaction touches. */
  override announcement(touches: readonly Touch[]): string {
    const announcement = { node: this.#node, touches } satisfies Announcement;
    const tables = [...new Set(touches.map(({ table }) => table))].join(', ');
    return `CALL warehouse.set_commit_message(${sqlText(AUTHOR)}, ${sqlText(tables)},
      extra_info => ${sqlText(JSON.stringify(announcement))})`;
  }

  async #catchUp(): Promise<void> {
    const known = this.#newest;
    const snapshots = await this.#reader.query<Snapshot>(
      `SELECT snapshot_id AS id, author, commit_extra_info AS announcement FROM ${CHANGES}
       WHERE snapshot_id >= ${known?.id ?? `(SELECT max(snapshot_id) FROM ${CHANGES})`} ORDER BY snapshot_id`,
    );
    const [first, ...others] = snapshots;
    this.#newest = snapshots.at(-1) ?? null;
    const isContinued =
      known !== null &&
      first?.id === known.id &&
      first.announcement === known.announcement &&
      others.every(({ id }, index) => Number(id) === Number(known.id) + index + 1);
    if (!isContinued) {
      this.markAll();
      return;
    }
    for (const snapshot of others) {
      const announced = announcementOf(snapshot);
      if (announced === null) this.markAll();
      else if (announced.node !== this.#node) this.mark(announced.touches, true);
    }
  }
}

/** Returns what a snapshot says about itself; null if it is none of a node's transactions. */
const announcementOf = ({ author, announcement }: Snapshot): Announcement | null =>
  author === AUTHOR && announcement !== null ? (JSON.parse(announcement) as Announcement) : null;

const AUTHOR = 'cost-analytics';

const CHANGES = 'catalog.ducklake_snapshot_changes';
