import { createRequire } from 'node:module';
import { z } from 'zod';

const { version, engines } = z
  .object({ version: z.string(), engines: z.object({ node: z.string() }) })
  .parse(createRequire(import.meta.url)('#package.json'));

/** The product's version. */
export const VERSION: string = version;

/** The versions of Node that the product needs, as `engines` of package.json names them. */
export const NODE_VERSIONS: string = engines.node;
