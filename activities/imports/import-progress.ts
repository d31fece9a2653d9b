import type { ImportRunInput } from '../../domain/imports/connection.ts';
import type { IngestProgress } from '../../domain/sources/ingest.ts';
import type { SealedPlace, Sealer } from '../../security/sealing.ts';

/** A heartbeat of an import. */
export interface ImportBeat extends IngestProgress {
  /** The state that a later attempt continues from, sealed. */
  sealed: string | null;
}

/** The progress of an import. Its state can hold revenue, so that Temporal gets it sealed. */
export class ImportProgress {
  readonly #sealer: Sealer;
  readonly #place: SealedPlace;
  #beat: ImportBeat;
  #state: unknown;

  constructor(sealer: Sealer, { orgId, runId }: ImportRunInput, before: ImportBeat | undefined) {
    this.#sealer = sealer;
    this.#place = { orgId, record: runId, field: 'import progress' };
    this.#beat = before ?? { rowsRead: 0, sealed: null };
  }

  /** The state that an earlier attempt reported; undefined if nothing is known of it. */
  get before(): unknown {
    if (this.#beat.sealed === null) return undefined;
    try {
      return JSON.parse(this.#sealer.open(this.#place, this.#beat.sealed)) as unknown;
    } catch {
      // The master key has changed since. The reading starts over.
      return undefined;
    }
  }

  /** Notes what a driver reports. */
  report(rowsRead: number, state?: unknown): void {
    this.#beat = { ...this.#beat, rowsRead };
    this.#state = state ?? this.#state;
  }

  /** Returns the heartbeat. Sealing each state would take longer than reading it. */
  get beat(): ImportBeat {
    if (this.#state !== undefined)
      this.#beat.sealed = this.#sealer.seal(this.#place, JSON.stringify(this.#state));
    this.#state = undefined;
    return this.#beat;
  }
}
