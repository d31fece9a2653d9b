import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import serveFiles from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Api } from '../http/api-type.ts';
import { protectPage } from '../http/protect-page.ts';

/** The build leaves this in the page. Each answer has a new nonce in its place (web/vite.config.ts). */
const NONCE = '__CSP_NONCE__';
const NONCE_BYTES = 16;

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;

/** Paths that are never the dashboard's: those of the API, operations and docs. */
const OTHER_PATHS = /^\/(api|operator|mcp|docs|livez|readyz|metrics|openapi\.json)(\/|$)/;

/**
 * Serves the built dashboard of a folder: its one page at `/`, and its files, which have hashes in their names. Returns a
 * function that answers a browser's request for an unknown path with the page, which shows that path itself. The function
 * returns null for any other request.
 */
export async function dashboard(
  app: Api,
  folder: string,
): Promise<(request: FastifyRequest, reply: FastifyReply) => FastifyReply | null> {
  const html = await readFile(join(folder, 'index.html'), 'utf8');
  const sendPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    protectPage(request, reply, nonce);
    return reply
      .header('cache-control', 'no-cache')
      .type('text/html; charset=utf-8')
      .send(html.replaceAll(NONCE, nonce));
  };
  await app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      protectPage(request, reply, null);
    });
    await scope.register(serveFiles, {
      root: join(folder, 'assets'),
      prefix: '/assets/',
      preCompressed: true,
      immutable: true,
      maxAge: YEAR_MS,
      index: false,
      decorateReply: false,
    });
  });
  app.get('/', { schema: { hide: true } }, sendPage);
  return (request, reply) => {
    const [path = '/'] = request.originalUrl.split('?');
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') &&
      !OTHER_PATHS.test(path) &&
      request.accepts().type(['application/json', 'text/html']) === 'text/html';
    return isPage ? sendPage(request, reply.status(200)) : null;
  };
}
