import { KINDS, type Kind } from '../sources/kinds.ts';

export type SpendSource = (typeof KINDS)[Kind]['spend'];

/** The sources of spend. Their parts add up to the total, each dollar once. */
export const SPEND_SOURCES: readonly SpendSource[] = Object.values(KINDS).map(({ spend }) => spend);
