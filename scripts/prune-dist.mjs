// Removes compiled files from dist whose source no longer exists. It does not empty dist before the build, because
// a service may be running from it, or starting, and a second build may be under way.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const bundles = ['bundle.js', 'traced-bundle.js'].map((name) => join('workflows', name));
// Vite writes the pages, and empties their folder itself.
const pages = 'web/';

for (const name of readdirSync(dist, { recursive: true })) {
  if (!/\.js(\.map)?$/.test(name) || bundles.includes(name) || name.startsWith(pages)) continue;
  const source = join(root, name.replace(/\.js(\.map)?$/, '.ts'));
  if (!existsSync(source)) rmSync(join(dist, name), { force: true });
}
