// Bundles the compiled workflows when the product is built, so that a worker starts without running webpack.
import { rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';

const inDist = (name) => fileURLToPath(new URL(`../dist/workflows/${name}`, import.meta.url));
const [workflowsPath = inDist('registry.js'), bundlePath = inDist('bundle.js')] = process.argv.slice(2);

try {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [inDist('report-results.js')],
    logger: new DefaultLogger('WARN'),
  });
  // By rename, so that a worker that starts during a build never reads half a bundle.
  const temporary = `${bundlePath}.${process.pid}`;
  await writeFile(temporary, code);
  await rename(temporary, bundlePath);
} catch (error) {
  console.error(`Cannot bundle the workflows of ${workflowsPath}: ${error.message}`);
  process.exit(1);
}
