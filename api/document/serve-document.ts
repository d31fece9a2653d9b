import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { SESSION_COOKIE } from '../access/session/session-cookie.ts';
import type { Api } from '../http/api-type.ts';
import { protectPage } from '../http/protect-page.ts';
import { noBody } from '../routes/bodies.ts';
import { TAGS } from '../routes/tags.ts';
import { withExamples } from './examples.ts';
import { forGenerators } from './for-generators.ts';

/** Serves the OpenAPI document of the routes registered afterwards: `/openapi.json` for programs, and `/docs` for people. */
export async function serveDocument(app: Api, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Cost Analytics Service',
        version,
        description:
          'Unit economics: real spend divided by business metrics, per month, that finance can lock and audit. ' +
          'Every body may be gzipped (`Content-Encoding: gzip`).',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'The service that serves this document' }],
      tags: TAGS,
      components: {
        securitySchemes: {
          key: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
          bearer: { type: 'http', scheme: 'bearer', description: 'The same key as a bearer token' },
          operator: { type: 'apiKey', in: 'header', name: 'X-Operator-Key' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: SESSION_COOKIE,
            description:
              'The session of a page of the service. Over HTTPS the name begins with `__Host-`. Each request also needs the header `X-Requested-With: cost-analytics`.',
          },
        },
      },
      security: [{ key: [] }, { bearer: [] }, { session: [] }],
    },
    // A route without a body has a schema only to reject one.
    transform: (route) => {
      const { body, ...schema } = route.schema;
      return jsonSchemaTransform(body === noBody ? { ...route, schema } : route);
    },
    transformObject: (document) => withExamples(forGenerators(jsonSchemaTransformObject(document))),
  });
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      protectPage(request, reply, null);
    });
    await scope.register(swaggerUi, { routePrefix: '/docs' });
  });
  app.get('/openapi.json', { schema: { hide: true } }, () => app.swagger());
}
