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
