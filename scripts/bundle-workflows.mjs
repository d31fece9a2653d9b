// Bundles the compiled workflows when the product is built, so that a worker starts without running webpack. A worker that sends
// traces takes a second bundle, whose workflows have spans.
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

/**
 * Stacks need the file and line of a workflow's step. A worker holds the map twice, and unpacks it for the first stack: with columns
 * and copies of the sources, this takes 5 MB more.
 */
const linesOnly = (config) => ({ ...config, devtool: 'inline-nosources-cheap-module-source-map' });

/** Escapes what is not Latin-1, because a single such character makes V8 hold the whole script in two bytes a character. */
const inOneByte = (code) =>
  code.replace(/[\u0100-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

try {
  // The plain bundle comes last, because its time is that of the whole build.
  for (const [path, workflowInterceptorModules] of [
    [join(dirname(bundlePath), 'traced-bundle.js'), [spans, ...own]],
    [bundlePath, own],
  ]) {
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      workflowInterceptorModules,
      webpackConfigHook: linesOnly,
      logger: new DefaultLogger('WARN'),
    });
    // By rename, so that a worker that starts during a build never reads half a bundle.
    const temporary = `${path}.${process.pid}`;
    await writeFile(temporary, inOneByte(code));
    await rename(temporary, path);
  }
} catch (error) {
  console.error(`Cannot bundle the workflows of ${workflowsPath}: ${error.message}`);
  process.exit(1);
}
