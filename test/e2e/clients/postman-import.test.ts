import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lacking } from '../../support/needs.ts';
import { PRODUCT } from '../../support/service/node-process.ts';

/** Postman's own import makes a collection of the OpenAPI document. */

const GENERATORS = process.env['CLIENT_GENERATORS'] ?? '';
const why = lacking('generators');

interface Auth {
  type: string;
  apikey: { key: string; value: string }[];
}
interface Item {
  item?: Item[];
  request?: { method: string; url: { host: string[]; path: string[] }; auth?: Auth | null };
}
interface Collection extends Item {
  auth: Auth;
  variable: { key: string }[];
}
interface Import {
  convertV2: (
    input: { type: 'string'; data: string },
    options: object,
    done: (error: Error | null, imported: { reason?: string; output?: { data: Collection }[] }) => void,
  ) => void;
}

const imported = (data: string): Promise<Collection> =>
  new Promise((resolve, reject) => {
    const path = join(GENERATORS, 'postman/node_modules/openapi-to-postmanv2');
    const { convertV2 } = createRequire(import.meta.url)(path) as Import;
    convertV2({ type: 'string', data }, {}, (error, { reason, output }) => {
      const [made] = output ?? [];
      if (made === undefined) reject(error ?? new Error(reason));
      else resolve(made.data);
    });
  });

const requestsIn = ({ item = [], request }: Item): NonNullable<Item['request']>[] => [
  ...(request === undefined ? [] : [request]),
  ...item.flatMap(requestsIn),
];

/** Returns the header that carries a key, and the variable that has it. */
const headerOf = ({ type, apikey }: Auth): Record<string, string> => ({
  type,
  ...Object.fromEntries(apikey.map(({ key, value }) => [key, value])),
});

describe('Postman', () => {
  it.skipIf(why !== '')(
    `imports every operation, with the address and the key as variables${why}`,
    async () => {
      const text = await readFile(join(PRODUCT, 'dist/openapi.json'), 'utf8');
      const { paths } = JSON.parse(text) as { paths: Record<string, object> };
      const described = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map(
          (method) => `${method.toUpperCase()} {{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        ),
      );
      const collection = await imported(text);
      const requests = requestsIn(collection);
      const found = requests.map(
        ({ method, url }) => `${method} ${url.host.join('.')}/${url.path.join('/')}`,
      );
      expect(found.sort()).toEqual(described.sort());

      expect(collection.variable.map(({ key }) => key)).toContain('baseUrl');
      const key = { type: 'apikey', key: 'X-API-Key', value: '{{apiKey}}', in: 'header' };
      expect(headerOf(collection.auth)).toEqual(key);
      // Requests of tenants inherit it. Postman knows no cookie, which only pages of the service use.
      const own = requests.flatMap(({ auth, url }) =>
        auth?.type === 'apikey' ? [`${String(url.path[0])}: ${String(headerOf(auth)['key'])}`] : [],
      );
      expect([...new Set(own)]).toEqual(['operator: X-Operator-Key', 'api: cost_analytics_session']);
    },
  );
});
