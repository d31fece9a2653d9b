import { createHash } from 'node:crypto';

/** A CSV file of values, a line each, with labels of some 190 characters that cannot be compressed. */
export const longLabels = (lines: number, value = 0): Buffer<ArrayBuffer> =>
  Buffer.from(
    Array.from({ length: lines }, (_, index) => {
      const part = createHash('sha512').update(index.toString()).digest('base64url');
      return `2026-01-01,${index} ${part} ${part},${index + value}\n`;
    }).join(''),
  );
