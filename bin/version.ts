import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** The package lies beside the sources, or one above the build. */
const packageFile = [
  join(import.meta.dirname, '../package.json'),
  join(import.meta.dirname, '../../package.json'),
].find((file) => existsSync(file));

/** The product's version. */
export const VERSION: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile ?? 'package.json', 'utf8'))).version;
