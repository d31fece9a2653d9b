import { unavailable } from '../../domain/shared/errors.ts';

const MOST_OF_ORGANISATION = 2;
const MOST_OF_PROCESS = 8;

/** Limits how many uploads this process takes at once, for each organisation and in all. */
export class UploadPlaces {
  readonly #holders: string[] = [];

  /** Takes a place for an organisation and returns a function that frees it. Throws `unavailable` if no place is free. */
  take(orgId: string): () => void {
    const own = this.#holders.filter((holder) => holder === orgId).length;
    if (own >= MOST_OF_ORGANISATION)
      throw unavailable(
        `busy: expected at most ${MOST_OF_ORGANISATION} uploads of an organisation at once; try again`,
      );
    if (this.#holders.length >= MOST_OF_PROCESS) throw unavailable();
    this.#holders.push(orgId);
    return () => {
      this.#holders.splice(this.#holders.indexOf(orgId), 1);
    };
  }
}
