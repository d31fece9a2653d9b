/** Why a step has failed, as a workflow knows it. */
export interface FailureReason {
  /** Temporal's or our own words, which hold no data. */
  text: string;
  /** The message of the failed activity, sealed because it can repeat cells and amounts; null if no activity gave one. */
  sealed: string | null;
}
