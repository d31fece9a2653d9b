import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../bin/settings/version.ts';
import { TEMPORAL_CLI_VERSION } from '../../temporal/cli/cli-cache.ts';
import { PRODUCT } from './page.ts';

it('takes images of others by their digests', async () => {
  const texts = await Promise.all(
    ['Dockerfile', 'compose.yaml'].map((file) => readFile(join(PRODUCT, file), 'utf8')),
  );
  const images = texts.flatMap((text) => text.match(/docker\.io\/[^\s}]+/g) ?? []);
  const byTag = images.filter((image) => !/:[\w.-]+@sha256:[0-9a-f]{64}$/.test(image));
  // docs/operation.md, "Run the image", shows how to give the digest of this one.
  expect([images.length, byTag]).toEqual([5, [`docker.io/temporalio/temporal:${TEMPORAL_CLI_VERSION}`]]);
});

it('builds the image with the label of this version, and with the Temporal CLI that the product is tested with', async () => {
  const dockerfile = await readFile(join(PRODUCT, 'Dockerfile'), 'utf8');
  expect(dockerfile).toContain(`org.opencontainers.image.version="${VERSION}"`);
  expect(dockerfile).toContain(`TEMPORAL_IMAGE=docker.io/temporalio/temporal:${TEMPORAL_CLI_VERSION}\n`);
});
