// Bundles the compiled workflows when the product is built, so that a worker starts without running webpack. A worker that sends
// traces takes a second bundle, whose workflows have spans.
import { Buffer } from 'node:buffer';
import { rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const inDist = (name) => fileURLToPath(new URL(`../dist/workflows/${name}`, import.meta.url));
const own = [inDist('running/report-results.js'), inDist('running/check-start.js')];
const spans = createRequire(import.meta.url).resolve(
  '@temporalio/interceptors-opentelemetry/lib/workflow-interceptors',
);
const [workflowsPath = inDist('registry.js'), bundlePath = inDist('bundle.js')] = process.argv.slice(2);

/** How the map begins, at the end of a bundle. */
const MAP = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,';

/**
 * Returns a bundle whose source map has no copies of the sources. A worker holds the map twice, and stacks only need the places.
 */
function withoutSources(code) {
  const [script, map] = code.split(MAP);
  const places = { ...JSON.parse(Buffer.from(map, 'base64').toString()), sourcesContent: undefined };
  return `${script}${MAP}${Buffer.from(JSON.stringify(places)).toString('base64')}`;
}

try {
  // The plain bundle comes last, because its time is that of the whole build.
  for (const [path, workflowInterceptorModules] of [
    [join(dirname(bundlePath), 'traced-bundle.js'), [spans, ...own]],
    [bundlePath, own],
  ]) {
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      workflowInterceptorModules,
      logger: new DefaultLogger('WARN'),
    });
    // By rename, so that a worker that starts during a build never reads half a bundle.
    const temporary = `${path}.${process.pid}`;
    await writeFile(temporary, withoutSources(code));
    await rename(temporary, path);
  }
} catch (error) {
  console.error(`Cannot bundle the workflows of ${workflowsPath}: ${error.message}`);
  process.exit(1);
}
