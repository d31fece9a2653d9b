import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../bin/settings/version.ts';
import { TEMPORAL_CLI_VERSION } from '../../temporal/cli/cli-cache.ts';
import { PRODUCT } from './page.ts';

it('builds the image with the label of this version, and with the Temporal CLI that the product is tested with', async () => {
  const dockerfile = await readFile(join(PRODUCT, 'Dockerfile'), 'utf8');
  expect(dockerfile).toContain(`org.opencontainers.image.version="${VERSION}"`);
  expect(dockerfile).toContain(`TEMPORAL_IMAGE=docker.io/temporalio/temporal:${TEMPORAL_CLI_VERSION}\n`);
});
