import type { Day } from '../shared/calendar.ts';
import type { DecimalText } from '../shared/decimals.ts';

/**
 * Why a month's numbers are not certain (docs/concepts.md#when-a-month-has-settled). A doubt keeps the month from settling and
 * from being ready to lock, until someone takes one of its ways out.
 */
export const DOUBT_CODES = [
  'not_delivered',
  'nothing_ingested',
  'rejected_rows',
  'import_behind',
  'values_unreadable',
  'unit_missing',
  'charges_twice',
  'unmatched_machines',
  'assets_missing',
  'charges_left_out',
] as const;
export type DoubtCode = (typeof DOUBT_CODES)[number];

/** What a person can do about a doubt. */
export const WAY_OUT_ACTIONS = [
  'run_source',
  'open_source',
  'stands',
  'run_import',
  'connect_import',
  'record_values',
  'end_unit',
  'on_bill_always',
  'on_bill_never',
  'accept',
] as const;
type WayOutAction = (typeof WAY_OUT_ACTIONS)[number];

/** One way out of a doubt, with what it acts on. */
export interface WayOut {
  action: WayOutAction;
  /** What to do, in words. */
  sentence: string;
  source_id?: string;
  unit?: string;
  metric_id?: string;
}

/** A reason why a month is not certain, with its amount if that is known. */
export interface Doubt {
  code: DoubtCode;
  sentence: string;
  amount: DecimalText | null;
  ways_out: WayOut[];
}

/** A doubt about what a cost source has brought of a month. */
export interface SourceDoubt extends Doubt {
  /** The first day of the month that is not certain; null if the doubt is not about days. */
  from: Day | null;
}

/** What a doubt about a source is about: the source, and one of its accounts, clusters, hosts or tools, if any. */
export interface DoubtSubject {
  source: { id: string; name: string };
  unit: string | null;
  /** Another source with the same charges of the unit. */
  other?: { id: string; name: string } | null;
}

const ACCEPT: WayOut = {
  action: 'accept',
  sentence: 'lock the month without it: the version keeps this sentence',
};

type WayOutOf = (subject: DoubtSubject) => WayOut | null;

/** Returns a way out that acts on the source. `words` get its name in quotes. */
const ofSource =
  (action: WayOutAction, words: (source: string) => string): WayOutOf =>
  ({ source: { id, name } }) => ({ action, sentence: words(JSON.stringify(name)), source_id: id });

/** Returns a way out that acts on the unit. A doubt about several units names none of them, and has no such way out. */
const ofUnit =
  (action: WayOutAction, words: (unit: string, source: string) => string): WayOutOf =>
  ({ source: { id, name }, unit }) =>
    unit === null
      ? null
      : { action, sentence: words(JSON.stringify(unit), JSON.stringify(name)), source_id: id, unit };

const runSource = ofSource(
  'run_source',
  (source) => `correct what cost source ${source} reads, and read it again`,
);

const openSource = ofSource(
  'open_source',
  (source) => `set starts_on of cost source ${source}, or pause it, if there is no such spend`,
);

const endUnit = ofUnit('end_unit', (unit) => `say since when ${unit} has no spend any more, if it has ended`);

const endIn = (unit: string | null, { id, name }: { id: string; name: string }): WayOut => ({
  action: 'end_unit',
  sentence: `end ${JSON.stringify(unit)} in cost source ${JSON.stringify(name)}: its later days count only in the other one`,
  source_id: id,
  ...(unit === null ? {} : { unit }),
});

const endHere: WayOutOf = ({ source, unit, other = null }) => (other === null ? null : endIn(unit, source));

const endThere: WayOutOf = ({ unit, other = null }) => (other === null ? null : endIn(unit, other));

const correctFiles: WayOutOf = (subject) => ((subject.other ?? null) === null ? runSource(subject) : null);

const stands: WayOutOf = ({ source, unit }) => ({
  action: 'stands',
  sentence: `say that both are right: ${JSON.stringify(unit)} has these charges beside the others`,
  source_id: source.id,
  ...(unit === null ? {} : { unit }),
});

const countAgain = ofUnit(
  'end_unit',
  (unit, source) => `end ${unit} later in cost source ${source}, if these charges are right`,
);

const standsWithout = ofUnit('stands', (unit) => `say that ${unit} is right without these charges`);

const readAll: WayOutOf = (subject) => (subject.unit === null ? runSource(subject) : null);

const onBillAlways = ofSource(
  'on_bill_always',
  (source) => `set options.on_bill of cost source ${source} to "always": the bills include these machines`,
);

const onBillNever = ofSource(
  'on_bill_never',
  (source) => `set options.on_bill of cost source ${source} to "never": no bill includes these machines`,
);

/** The ways out of each doubt about a source, the best one first. Whoever locks can accept each of them. */
const WAYS_OUT: Record<DoubtCode, readonly WayOutOf[]> = {
  not_delivered: [runSource, openSource],
  nothing_ingested: [],
  rejected_rows: [runSource],
  charges_twice: [endHere, endThere, correctFiles, stands],
  // These are about no source (import-doubt.ts, unreadable-values.ts).
  import_behind: [],
  values_unreadable: [],
  unit_missing: [endUnit, runSource],
  unmatched_machines: [runSource, onBillAlways, onBillNever],
  assets_missing: [runSource, onBillAlways],
  charges_left_out: [countAgain, standsWithout, readAll],
};

/** Returns the ways out of a doubt about a source. */
export const waysOut = (code: DoubtCode, subject: DoubtSubject | null): WayOut[] => [
  ...(subject === null ? [] : WAYS_OUT[code].map((way) => way(subject)).filter((way) => way !== null)),
  ACCEPT,
];
