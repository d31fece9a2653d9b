import { KINDS } from '../../domain/sources/kinds.ts';
import { sqlText } from '../engine/sql/sql-text.ts';

/** The part of the total that the spend of a cost source is, by its `kind`. */
export const SPEND_OF_KIND = `CASE kind ${Object.entries(KINDS)
  .map(([kind, { spend }]) => `WHEN ${sqlText(kind)} THEN ${sqlText(spend)}`)
  .join(' ')} END`;
