import type { LocationNames } from './location-names.ts';

/** One thing to do outside this service before it can read a bill. */
export interface Step {
  title: string;
  /** What to do and why, in sentences. */
  text?: string;
  /** What to copy: a policy, or commands. */
  code?: string;
  /** What is copied, for the name of its button. */
  codeName?: string;
}

/** How spend is exported, with the names that are typed already. */
export type Steps = (names: LocationNames) => readonly Step[];
