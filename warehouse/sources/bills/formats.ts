import type { Kind } from '../../../domain/sources/kinds.ts';
import type { BillFormat } from './bill-format.ts';
import { AWS_CUR } from './aws-cur.ts';

/** The formats of clouds' bills beside FOCUS, by kind of source. */
export const BILL_FORMATS = {
  aws_cur: AWS_CUR,
} as const satisfies Partial<Record<Kind, BillFormat>>;
