import { expect, it } from 'vitest';
import { wrongLines } from '../../../web/metrics/values/wrong-lines.ts';

const MESSAGE = 'line 2: value: expected a number; line 4: label: expected a label';
const TEXT = 'période,value\n2026-01-05,x\n\n2026-01-06,é';

it.each([
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
  ['UTF-16', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
  ['big-endian UTF-16', Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16()],
])('the wrong lines of an upload in %s are shown with their contents', async (_, bytes) => {
  expect(await wrongLines(new File([new Uint8Array(bytes)], 'values.csv'), MESSAGE)).toEqual([
    { line: 2, content: '2026-01-05,x', problem: 'value: expected a number' },
    { line: 4, content: '2026-01-06,é', problem: 'label: expected a label' },
  ]);
});
