import { expect, it } from 'vitest';
import type { BillFormat } from '../../warehouse/sources/bills/bill-format.ts';
import { BILL_FORMATS } from '../../warehouse/sources/bills/formats.ts';
import { readPages, tableBelow } from './page.ts';

const HEADINGS: Readonly<Record<keyof typeof BILL_FORMATS, string>> = {
  aws_cur: '### AWS cost and usage reports',
  azure_cost: '### Azure cost details',
  gcp_billing: "### Google's usage cost table",
};

/** Returns the rows of a format's table: each column of FOCUS, and the format's own. */
const rowsOf = ({ columns, tags }: BillFormat): string[][] =>
  [...Object.entries(columns).map(([name, { words }]) => [name, words]), ['Tags', tags?.words ?? '']].map(
    ([name = '', words = '']) => [`\`${name}\``, words.replaceAll('; ', '<br>')],
  );

it('shows each format of a bill as it is read', async () => {
  const page = (await readPages()).find(({ path }) => path === 'docs/data-formats.md')?.text ?? '';
  for (const [kind, format] of Object.entries(BILL_FORMATS))
    expect(tableBelow(page, HEADINGS[kind as keyof typeof BILL_FORMATS])).toEqual(rowsOf(format));
});
