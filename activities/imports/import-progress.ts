import type { ImportRunInput } from '../../domain/imports/connection.ts';
import type { NetSalesProgress } from '../../domain/imports/stripe/net-sales-progress.ts';
import type { IngestProgress } from '../../domain/sources/ingest.ts';
import type { SealedPlace, Sealer } from '../../security/sealing.ts';

/** A heartbeat of an import. */
export interface ImportBeat extends IngestProgress {
  /** Progress that a later attempt continues from, sealed. */
  sealed: string | null;
}

/** The progress of an import, which a later attempt continues from. It can hold revenue, so that Temporal gets it sealed. */
export class ImportProgress {
  readonly #sealer: Sealer;
  readonly #place: SealedPlace;
  #state: ImportBeat;
  #read: NetSalesProgress | null = null;

  constructor(sealer: Sealer, { orgId, runId }: ImportRunInput, before: ImportBeat | undefined) {
    this.#sealer = sealer;
    this.#place = { orgId, record: runId, field: 'import progress' };
    this.#state = before ?? { rowsRead: 0, sealed: null };
  }

  /** What an earlier attempt had read; undefined if nothing is known of it. */
  get before(): unknown {
    if (this.#state.sealed === null) return undefined;
    try {
      return JSON.parse(this.#sealer.open(this.#place, this.#state.sealed)) as unknown;
    } catch {
      // The master key has changed since. The reading starts over.
      return undefined;
    }
  }

  noteRows(rowsRead: number): void {
    this.#state = { ...this.#state, rowsRead };
  }

  notePage(read: NetSalesProgress): void {
    this.#read = read;
    this.noteRows(read.transactions);
  }

  /** Returns the heartbeat. Sealing each page would take longer than reading it. */
  get beat(): ImportBeat {
    if (this.#read !== null) this.#state.sealed = this.#sealer.seal(this.#place, JSON.stringify(this.#read));
    this.#read = null;
    return this.#state;
  }
}
