import type { paths } from '../http/generated/api-types.d.ts';
import type { Day } from '../shared/calendar.ts';
import { CREDENTIAL_FORMS, credentialsBody, credentialTypeOf } from './credentials/credential-fields.ts';
import { optionsOf, optionValue, SOURCE_KINDS, type SourceKind } from './source-kinds.ts';
import type { CostSource } from './sources-queries.ts';

/** What people fill in about a source. An option that is left empty is none. */
export interface SourceValues {
  name: string;
  kind: SourceKind;
  location: string;
  currency: string;
  options: Record<string, string>;
  /** Only of a new source. */
  credentials: Record<string, string>;
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
    Object.keys(SOURCE_KINDS)
      .flatMap((kind) => optionsOf(kind as SourceKind))
      .map((option) => [option.name, optionValue(option, source)]),
  ),
  credentials: Object.fromEntries(
    Object.values(CREDENTIAL_FORMS).flatMap(({ fields }) => fields.map(({ name }) => [name, ''])),
  ),
  isRead: !(source?.schedule_paused ?? false),
  startsOn: source?.starts_on ?? null,
});

type NewSource = paths['/api/v1/cost-sources']['post']['requestBody']['content']['application/json'];
type Changes = paths['/api/v1/cost-sources/{id}']['patch']['requestBody']['content']['application/json'];

const commonOf = ({ name, location, currency, isRead, startsOn }: SourceValues) => ({
  name: name.trim(),
  location: location.trim(),
  currency: currency.trim() === '' ? null : currency.trim(),
  schedule_paused: !isRead,
  starts_on: startsOn,
});

/** The body that creates a source. */
export function bodyOfNew(values: SourceValues): NewSource {
  const filled = optionsOf(values.kind).flatMap(({ name, isNumber = false }) => {
    const value = values.options[name]?.trim() ?? '';
    return value === '' ? [] : [[name, isNumber ? Number(value) : value] as const];
  });
  const options: Record<string, unknown> = {};
  for (const [name, value] of filled) {
    const [outer = '', field] = name.split('.');
    options[outer] =
      field === undefined ? value : { ...(options[outer] as object | undefined), [field]: value };
  }
  const type = credentialTypeOf(values.location);
  const credentials = type === null ? null : credentialsBody(type, values.credentials);
  return {
    ...commonOf(values),
    kind: values.kind,
    options,
    ...(credentials === null ? {} : { credentials }),
  } as NewSource;
}

/** The body that changes a source. Its kind stays. */
export function changesOf(values: SourceValues): Changes {
  const { kind: _, credentials: __, ...changes } = bodyOfNew(values);
  return changes;
}
