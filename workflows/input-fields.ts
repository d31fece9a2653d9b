/** A field of an input: what it must be, in words, and whether a value is that. */
export interface Field {
  expected: string;
  allows: (value: unknown) => boolean;
  /** The value if the field is left out. A field without one is required. */
  otherwise?: null;
}

const id = (prefix: string): Field => ({
  expected: `an id such as ${prefix}_…`,
  allows: (value) => typeof value === 'string' && value.startsWith(`${prefix}_`) && !value.includes('/'),
});

export const TEXT: Field = {
  expected: 'an id',
  allows: (value) => typeof value === 'string' && value !== '',
};

const MONTH: Field = {
  expected: 'a month such as 2026-01, or null',
  allows: (value) => value === null || (typeof value === 'string' && /^\d{4}-(0[1-9]|1[0-2])$/.test(value)),
  otherwise: null,
};

const FLAG: Field = {
  expected: 'true, false or nothing',
  allows: (value) => value === undefined || typeof value === 'boolean',
};

/** The input of a workflow for an organisation. */
export const ORGANISATION = { orgId: id('org') };
/** The input of an ingest. */
export const INGEST = {
  ...ORGANISATION,
  sourceId: id('src'),
  startMonth: MONTH,
  endMonth: MONTH,
  acceptShrink: FLAG,
  readAll: FLAG,
};
/** The input of an import. */
export const IMPORT = { ...ORGANISATION, metricId: id('met'), startMonth: MONTH };
