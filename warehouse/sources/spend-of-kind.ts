import { KINDS } from '../../domain/sources/kinds.ts';
import { sqlText } from '../engine/sql/sql-text.ts';

/** Whether a source's lines name clusters and namespaces, which are Kubernetes spend, by its `options`. */
export const HAS_NAMESPACES = `COALESCE(options->>'$.kubernetes' = 'labels', false)`;

/** The part of the total that the spend of a cost source is, by its `kind`. */
export const SPEND_OF_KIND = `CASE kind ${Object.entries(KINDS)
  .map(([kind, { spend }]) => `WHEN ${sqlText(kind)} THEN ${sqlText(spend)}`)
  .join(' ')} END`;

/** All parts of the total that the spend of a cost source is, by its `kind` and `options`. */
export const SPENDS_OF_SOURCE = `CASE WHEN ${HAS_NAMESPACES} THEN [${SPEND_OF_KIND}, 'kubernetes'] ELSE [${SPEND_OF_KIND}] END`;
