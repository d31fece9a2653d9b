import { createRequire } from 'node:module';
import { z } from 'zod';

/** The product's version. */
export const VERSION: string = z
  .object({ version: z.string() })
  .parse(createRequire(import.meta.url)('#package.json')).version;
