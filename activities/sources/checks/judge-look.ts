import {
  billWarnings,
  clusterWarnings,
  currencyProblem,
  overwriteAdvice,
} from '../../../domain/sources/checks/bill-findings.ts';
import { calendarFindings } from '../../../domain/sources/checks/calendar-findings.ts';
import type { CheckedSource, FoundInSource } from '../../../domain/sources/checks/checked-source.ts';
import { credentialTypeOf } from '../../../domain/sources/credentials.ts';
import { KINDS } from '../../../domain/sources/kinds.ts';
import { firstAndMore } from '../../../domain/shared/text/for-message.ts';
import { formatOf, isCompressed } from '../../../warehouse/sources/feeds/export-files.ts';
import type { Look, Looking } from './look-at-source.ts';

type Of = Pick<Looking, 'organisation' | 'source' | 'now'>;

const MOST_SENTENCES = 20;

/**
 * Puts together what a look has found, and what that means.
 *
 * @param failure why an ingest would fail; null if it would not, or if nobody knows.
 */
export function judgeLook(of: Of, look: Look, failure: string | null): CheckedSource {
  const { organisation, now } = of;
  const { facts, groups } = look;
  const found = foundBy(of, look);
  const currency = groups === null ? null : currencyProblem(groups.rowsOfCurrency, organisation.currency);
  const calendar =
    found.first_day === null || found.last_day === null
      ? { problems: [], warnings: [] }
      : calendarFindings(
          { months: found.months, firstDay: found.first_day, lastDay: found.last_day },
          now,
          isBill(of) && of.source.kind !== 'custom' ? cloudOf(look) : null,
        );
  const problems = [
    ...[currency ?? failure ?? []].flat(),
    ...(facts === null ? [] : chargeProblems(facts)),
    ...(facts?.namesRepositories === false && !isOfVendor(of) ? [NO_REPOSITORY] : []),
    ...calendar.problems,
    ...othersProblems(look),
  ];
  const warnings = [
    ...fileWarnings(look),
    ...calendar.warnings,
    ...(isBill(of) && failure === null ? warningsOfBill(of, look, found) : []),
    ...(facts?.hasAssets === false ? [NO_ASSETS] : []),
    ...(facts?.namesRepositories === false && isOfVendor(of) ? [NO_REPOSITORY_OF_VENDOR] : []),
  ];
  return { problems: several(problems), warnings: several(warnings), found };
}

const several = (sentences: readonly string[]): string[] =>
  firstAndMore([...new Set(sentences)], MOST_SENTENCES);

const isBill = ({ source }: Of): boolean => KINDS[source.kind].spend === 'cloud';

const cloudOf = ({ facts, groups }: Look): string | null =>
  facts?.cloud ?? groups?.units[0]?.split('/')[0] ?? null;

const NO_ASSETS =
  'the nodes of the clusters are not known, so that they cannot be found on a bill: set options.assets_location to the assets that OpenCost exports';

const isOfVendor = ({ source: { options } }: Of): boolean =>
  'vendor' in options && options.vendor !== undefined;

const NO_REPOSITORY =
  'no row of the usage names a repository, so that all spend belongs to none: fill the column repository with host/owner/name';

/** Vendors bill by user, not by repository. */
const NO_REPOSITORY_OF_VENDOR =
  'the vendor names no repositories, so that all spend belongs to none: set options.usage_location to files of usage, or let programs send it by OpenTelemetry';

const chargeProblems = ({ rows, cloud, twice }: NonNullable<Look['facts']>): string[] => [
  ...(rows === 0
    ? ['there is no charge: wait until the export has written some, or correct the location']
    : []),
  ...twice.map(
    ({ phrase, months }) =>
      `the source ${phrase}${months === 1 ? '' : `, and so in ${months - 1} earlier ${months === 2 ? 'month' : 'months'}`}; ` +
      `name the folder of one export only, or ${overwriteAdvice(cloud)}`,
  ),
];

const othersProblems = ({ beside }: Look): string[] =>
  (beside?.sameCharges ?? []).map(({ unit, source, phrase }) =>
    source === null
      ? `another cost source has the same charges: this one ${phrase}; connect each charge once`
      : `cost source ${JSON.stringify(source)} already has these charges of ${JSON.stringify(unit)}: connect each charge once`,
  );

/** The end of a note on a bill that fell back. */
const FELL_BACK = 'BilledCost was used instead';

/** The notes of the reading, with copies and unreadable rows in one sentence each. */
function fileWarnings({ load, copies, listed, facts }: Look): string[] {
  const known = new Set(copies.notes);
  const notes = (load?.notes ?? []).filter((note) => !known.has(note) && !note.endsWith(FELL_BACK));
  const rejected = (load?.rejectedSamples ?? []).map(({ problem, rows }) => `${problem} (${rows} rows)`);
  return [
    ...(copies.copies.size === 0
      ? copies.notes
      : [
          `${copies.copies.size} of ${listed.length} files have only rows that others have, too, and count once: ` +
            `${overwriteAdvice(facts?.cloud ?? null)}; ${copies.notes[0] ?? ''}`,
        ]),
    ...notes,
    ...(rejected.length === 0
      ? []
      : [
          `some rows cannot be read and would be missing: ${firstAndMore(rejected, 3).join('; ')}; correct the export`,
        ]),
  ];
}

function warningsOfBill({ source }: Of, look: Look, found: FoundInSource): string[] {
  const { facts, beside, sample, scopes } = look;
  const isBilled = 'cost_column' in source.options && source.options.cost_column === 'BilledCost';
  const isWhole = found.files_not_read === 0;
  return [
    ...billWarnings({
      cloud: cloudOf(look),
      accounts: isWhole ? found.accounts : [],
      sample,
      scopes,
      fallenBack: isBilled ? 0 : (facts?.fallenBack ?? 0),
      isFocus: source.kind === 'focus',
    }),
    ...clusterWarnings(
      (beside?.clusters ?? []).filter(({ isOfCloud }) => isOfCloud),
      found.accounts,
    ),
  ];
}

/** Returns what is known of a source. Months and days are exact, or not known. */
function foundBy(of: Of, { listed, facts, groups, load, beside }: Look): FoundInSource {
  const { source, organisation, now } = of;
  // Of a table, all billing periods are listed, and only the newest are read.
  const isTable = credentialTypeOf(source.location) === 'google';
  // An API, a table, or a location that could not be listed.
  const isUnlisted = listed.length === 0 || isTable;
  const isApi = isUnlisted && facts !== null;
  const periods = listed.flatMap(({ period }) => period ?? []);
  const read = listed.filter(({ isRead }) => isRead && (facts !== null || groups !== null));
  const isWhole = !isUnlisted && read.length === listed.length;
  const known = facts ?? groups;
  const [only, ...others] = [...(groups?.rowsOfCurrency.keys() ?? [])];
  const rows = (facts?.rows ?? groups?.rows ?? 0) + (load?.rowsRejected ?? 0);
  const clusters = beside?.clusters ?? null;
  return {
    files: isUnlisted ? null : listed.length,
    files_not_read: isUnlisted ? null : listed.length - read.length,
    bytes: isUnlisted ? null : total(listed.map(({ bytes }) => bytes)),
    format: isTable ? 'bigquery' : isApi ? 'api' : formatsOf(listed.map(({ path }) => path)),
    months: isTable ? periods.flatMap(({ month }) => month ?? []) : isWhole ? (known?.months ?? []) : [],
    first_day: isTable
      ? (periods.flatMap(({ firstDay }) => firstDay ?? []).sort()[0] ?? null)
      : isWhole
        ? (known?.firstDay ?? null)
        : null,
    last_day: isWhole || isApi ? (known?.lastDay ?? null) : null,
    currency: !isBill(of)
      ? null
      : facts !== null && facts.rows > 0
        ? organisation.currency
        : others.length === 0
          ? (only ?? null)
          : null,
    accounts: known?.accounts ?? [],
    units: known?.units ?? [],
    rows_estimate: isUnlisted || known === null ? null : estimate(rows, read, listed),
    unchanged_by_run: isUnlisted ? null : unchanged(listed, now),
    clusters_matched:
      clusters === null
        ? null
        : {
            nodes: clusters.reduce((sum, { nodes }) => sum + nodes, 0),
            on_bill: clusters.reduce((sum, { onBill }) => sum + onBill, 0),
          },
    clusters: (clusters ?? []).map(({ cluster, nodes, onBill }) => ({ cluster, nodes, on_bill: onBill })),
  };
}

const total = (bytes: readonly (number | null)[]): number | null =>
  bytes.reduce<number | null>((sum, one) => (sum === null || one === null ? null : sum + one), 0);

/** Returns the rows of all files, if the others have as many for each byte as those that were read. */
function estimate(rows: number, read: Look['listed'], listed: Look['listed']): number | null {
  if (read.length === listed.length) return rows;
  const [all, some] = [total(listed.map(({ bytes }) => bytes)), total(read.map(({ bytes }) => bytes))];
  return all === null || some === null || some === 0 ? null : Math.round((rows * all) / some);
}

function formatsOf(paths: readonly string[]): string | null {
  const formats = paths.map((path) => (isCompressed(path) ? 'csv.gz' : (formatOf(path) ?? '')));
  return formats.length === 0 ? null : [...new Set(formats)].sort().join(', ');
}

const DAY_MS = 86_400_000;

function unchanged(listed: Look['listed'], now: Date): number | null {
  if (listed.some(({ writtenAt }) => writtenAt === null)) return null;
  return listed.filter(({ writtenAt }) => (writtenAt ?? 0) < now.getTime() - DAY_MS).length;
}
