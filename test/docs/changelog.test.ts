import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../bin/settings/version.ts';
import { PRODUCT } from './page.ts';

it('the newest release of the changelog is the version of the package and of its lock file', async () => {
  const changelog = await readFile(join(PRODUCT, 'CHANGELOG.md'), 'utf8');
  const [first = '', ...others] = [...changelog.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title);
  const [newest = ''] = first === 'Unreleased' ? others : [first];
  expect(newest).toMatch(/^\d+\.\d+\.\d+ – \d{4}-\d\d-\d\d$/);
  expect(newest.split(' ')[0]).toBe(VERSION);
  const lock = JSON.parse(await readFile(join(PRODUCT, 'package-lock.json'), 'utf8')) as { version: string };
  expect(lock.version).toBe(VERSION);
});
