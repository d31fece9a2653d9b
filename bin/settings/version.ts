import { createRequire } from 'node:module';
import { z } from 'zod';

const { version, engines } = z
  .object({ version: z.string(), engines: z.object({ node: z.string() }) })
  .parse(createRequire(import.meta.url)('#package.json'));

/** The product's version. */
export const VERSION: string = version;

/** The versions of Node that the product needs, as `engines` of package.json names them. */
export const NODE_VERSIONS: string = engines.node;

/**
 * Whether a version of Node, such as `20.19.0`, is one of `ranges`: `^20.19.0` is 20.19.0 or a later 20, `>=24.0.0` is 24.0.0 or
 * later, and `||` stands between them.
 */
export const isNodeVersion = (node: string, ranges: string = NODE_VERSIONS): boolean =>
  ranges.split(' || ').some((range) => {
    const [, sign, least = '', major = ''] = /^(\^|>=)((\d+)\.\d+\.\d+)$/.exec(range) ?? [];
    if (sign === undefined) throw new Error(`expected ^ or >= and a version of Node, got ${range}`);
    const isLater = node.localeCompare(least, 'en', { numeric: true }) >= 0;
    return isLater && (sign === '>=' || node.startsWith(`${major}.`));
  });
