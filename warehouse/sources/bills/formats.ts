import type { Kind } from '../../../domain/sources/kinds.ts';
import type { BillFormat } from './bill-format.ts';
import { AWS_CUR } from './aws-cur.ts';
import { AZURE_COST } from './azure-cost.ts';
import { GCP_BILLING } from './gcp-billing.ts';

/** The formats of clouds' bills beside FOCUS, by kind of source. */
export const BILL_FORMATS = {
  aws_cur: AWS_CUR,
  azure_cost: AZURE_COST,
  gcp_billing: GCP_BILLING,
} as const satisfies Partial<Record<Kind, BillFormat>>;

/** Returns the format of a kind's files; null for FOCUS, and for a kind whose format its options make, or that has no bill. */
export const formatOfKind = (kind: Kind): BillFormat | null =>
  (BILL_FORMATS as Partial<Record<Kind, BillFormat>>)[kind] ?? null;
