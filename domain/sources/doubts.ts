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

const runSource: WayOutOf = ({ source }) => ({
  action: 'run_source',
  sentence: `correct what cost source ${JSON.stringify(source.name)} reads, and read it again`,
  source_id: source.id,
});

const openSource: WayOutOf = ({ source }) => ({
  action: 'open_source',
  sentence: `set starts_on of cost source ${JSON.stringify(source.name)}, or pause it, if there is no such spend`,
  source_id: source.id,
});

const ofUnit = (unit: string | null): { unit?: string } => (unit === null ? {} : { unit });

/** A doubt about several units names none of them, so that none can be ended. */
const endUnit: WayOutOf = ({ source, unit }) =>
  unit === null
    ? null
    : {
        action: 'end_unit',
        sentence: `say since when ${JSON.stringify(unit)} has no spend any more, if it has ended`,
        source_id: source.id,
        unit,
      };

const endIn = (unit: string | null, { id, name }: { id: string; name: string }): WayOut => ({
  action: 'end_unit',
  sentence: `end ${JSON.stringify(unit)} in cost source ${JSON.stringify(name)}: its later days count only in the other one`,
  source_id: id,
  ...ofUnit(unit),
});

const endHere: WayOutOf = ({ source, unit, other = null }) => (other === null ? null : endIn(unit, source));

const endThere: WayOutOf = ({ unit, other = null }) => (other === null ? null : endIn(unit, other));

const correctFiles: WayOutOf = (subject) => ((subject.other ?? null) === null ? runSource(subject) : null);

const stands: WayOutOf = ({ source, unit }) => ({
  action: 'stands',
  sentence: `say that both are right: ${JSON.stringify(unit)} has these charges beside the others`,
  source_id: source.id,
  ...ofUnit(unit),
});

const countAgain: WayOutOf = ({ source, unit }) =>
  unit === null
    ? null
    : {
        action: 'end_unit',
        sentence: `end ${JSON.stringify(unit)} later in cost source ${JSON.stringify(source.name)}, if these charges are right`,
        source_id: source.id,
        unit,
      };

const standsWithout: WayOutOf = ({ source, unit }) =>
  unit === null
    ? null
    : {
        action: 'stands',
        sentence: `say that ${JSON.stringify(unit)} is right without these charges`,
        source_id: source.id,
        unit,
      };

const readAll: WayOutOf = (subject) => (subject.unit === null ? runSource(subject) : null);

const onBillAlways: WayOutOf = ({ source }) => ({
  action: 'on_bill_always',
  sentence: `set options.on_bill of cost source ${JSON.stringify(source.name)} to "always": the bills include these machines`,
  source_id: source.id,
});

const onBillNever: WayOutOf = ({ source }) => ({
  action: 'on_bill_never',
  sentence: `set options.on_bill of cost source ${JSON.stringify(source.name)} to "never": no bill includes these machines`,
  source_id: source.id,
});

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
