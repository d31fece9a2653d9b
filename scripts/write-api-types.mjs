// Writes the types of the API for the pages in web/, from the OpenAPI document of the compiled API.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { pino } from 'pino';
import { buildServer } from '../dist/api/app.js';
import { Metrics } from '../dist/telemetry/metrics.js';

const folder = new URL('../web/http/generated/', import.meta.url);
const output = new URL('api-types.d.ts', folder);

// The routes describe themselves. Nothing is asked of the rest of the service.
const app = await buildServer(
  { version: '', operatorKey: '', metrics: new Metrics(), tracer: null, pages: null },
  pino({ level: 'silent' }),
);
await app.ready();
const types = astToString(await openapiTypescript(app.swagger()));

// A file that stays the same keeps its time, so that the build is not repeated because of it.
if (types !== (await readFile(output, 'utf8').catch(() => null))) {
  await mkdir(folder, { recursive: true });
  await writeFile(output, types);
}
process.exit();
