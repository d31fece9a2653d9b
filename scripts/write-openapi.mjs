// Writes the OpenAPI document of the compiled API to dist/, and its types for the pages in web/.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { pino } from 'pino';
import { buildServer } from '../dist/api/app.js';
import { Metrics } from '../dist/telemetry/metrics.js';

const root = new URL('../', import.meta.url);
const { version } = JSON.parse(await readFile(new URL('package.json', root), 'utf8'));

// The routes describe themselves. Nothing is asked of the rest of the service.
const app = await buildServer(
  { version, operatorKey: '', metrics: new Metrics(), tracer: null, pages: null },
  pino({ level: 'silent' }),
);
await app.ready();
const document = app.swagger();

// A file that stays the same keeps its time, so that the build is not repeated because of it.
async function write(path, text) {
  const file = new URL(path, root);
  if (text === (await readFile(file, 'utf8').catch(() => null))) return;
  await mkdir(new URL('./', file), { recursive: true });
  await writeFile(file, text);
}
await write('dist/openapi.json', `${JSON.stringify(document, null, 2)}\n`);
await write('web/http/generated/api-types.d.ts', astToString(await openapiTypescript(document)));
process.exit();
