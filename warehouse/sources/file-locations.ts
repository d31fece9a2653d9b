import { isTableLocation } from '../../domain/sources/table-location.ts';
import type { CostSource, CostSourceChanges } from './cost-sources.ts';
import { formatOf } from './feeds/export-files.ts';

/** The fields of a source, or of a change of one, that can hold locations. */
export type LocationFields = Pick<CostSourceChanges, 'location' | 'options'>;

/** A location, and the field that holds it, such as `options.usage_location`. */
export interface FieldLocation {
  field: string;
  location: string;
}

/** Whether the location of an OpenCost source, or of AI tools, is the base URL of an API; otherwise it stands for files. */
export const isApiLocation = (location: string): boolean =>
  /^https?:\/\//i.test(location) && formatOf(location) === null;

export const locationsOf = ({ location, options = {} }: LocationFields): FieldLocation[] => [
  ...(location === undefined ? [] : [{ field: 'location', location }]),
  ...Object.entries(options).flatMap(([name, value]: [string, unknown]) =>
    name.endsWith('_location') && typeof value === 'string'
      ? [{ field: `options.${name}`, location: value }]
      : [],
  ),
];

/** Returns the locations that DuckDB reads. The service calls an API itself, and BigQuery. */
export const fileLocations = (kind: CostSource['kind'], fields: LocationFields): FieldLocation[] =>
  locationsOf(fields).filter(
    ({ field, location }) =>
      !isTableLocation(location) &&
      !(KINDS_WITH_API.includes(kind) && field === 'location' && isApiLocation(location)),
  );

const KINDS_WITH_API: readonly CostSource['kind'][] = ['opencost', 'ai_tools'];
