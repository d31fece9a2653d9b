import type { paths } from '../http/generated/api-types.d.ts';
import type { Day } from '../shared/calendar.ts';
import { NO_CREDENTIALS, type EnteredCredentials } from './credentials/credential-fields.ts';
import { optionsOf, optionValue, SOURCE_KINDS, type SourceKind } from './source-kinds.ts';
import type { CostSource } from './sources-queries.ts';

/** What people fill in about a source. An option that is left empty is none. */
export interface SourceValues {
  name: string;
  kind: SourceKind;
  location: string;
  currency: string;
  options: Record<string, string>;
  /** What opens the location. A source that is there already never shows it. */
  credentials: EnteredCredentials;
  isRead: boolean;
  startsOn: Day | null;
}

/** Returns what the form of a source shows at first; of none, that of a new source. */
export const valuesOf = (source: CostSource | undefined): SourceValues => ({
  name: source?.name ?? '',
  kind: source?.kind ?? 'focus',
  location: source?.location ?? '',
  currency: source?.currency ?? '',
  options: Object.fromEntries(
    Object.values(SOURCE_KINDS)
      .flatMap(({ options }) => options)
      .map((option) => [option.name, optionValue(option, source)]),
  ),
  credentials: NO_CREDENTIALS,
  isRead: !(source?.schedule_paused ?? false),
  startsOn: source?.starts_on ?? null,
});

export type NewSource = paths['/api/v1/cost-sources']['post']['requestBody']['content']['application/json'];
type Changes = paths['/api/v1/cost-sources/{id}']['patch']['requestBody']['content']['application/json'];

const commonOf = ({ name, location, currency, isRead, startsOn }: SourceValues) => ({
  name: name.trim(),
  location: location.trim(),
  currency: currency.trim() === '' ? null : currency.trim(),
  schedule_paused: !isRead,
  starts_on: startsOn,
});

/** The body that creates a source. The service refuses what does not fit. */
export function bodyOfNew(values: SourceValues): NewSource {
  const options: Record<string, unknown> = {};
  for (const { name, noneIs = '', isNumber = false } of optionsOf(values.kind, values)) {
    const value = values.options[name]?.trim() ?? '';
    if (value === '' || value === noneIs) continue;
    const [outer = '', inner] = name.split('/');
    if (inner === undefined) options[outer] = isNumber ? Number(value) : value;
    else options[outer] = { ...(options[outer] as object | undefined), [inner]: value };
  }
  return { ...commonOf(values), kind: values.kind, options } as NewSource;
}

/** The body that changes a source. Its kind stays. */
export function changesOf(values: SourceValues): Changes {
  const { kind: _, credentials: __, ...changes } = bodyOfNew(values);
  return changes;
}

/** The field of the form for each field of the API, to show what the API refuses where it was filled in. */
export function fieldOf(field: string): string | null {
  const [outer, ...rest] = field.split('.');
  if (outer === 'credentials') return rest[0] === undefined ? null : `credentials.${rest[0]}`;
  if (outer === 'options') return rest.length === 0 ? null : `options.${rest.join('/')}`;
  const names: Readonly<Record<string, string>> = {
    name: 'name',
    location: 'location',
    currency: 'currency',
    starts_on: 'startsOn',
  };
  return outer === undefined ? null : (names[outer] ?? null);
}
