import { createHash } from 'node:crypto';

/** Returns a CSV file of values, one on each line, with incompressible labels of about 190 characters. */
export const longLabels = (lines: number, value = 0): Buffer<ArrayBuffer> =>
  Buffer.from(
    Array.from({ length: lines }, (_, index) => {
      const part = createHash('sha512').update(index.toString()).digest('base64url');
      return `2026-01-01,${index} ${part} ${part},${index + value}\n`;
    }).join(''),
  );
