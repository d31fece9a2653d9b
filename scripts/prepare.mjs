// Builds the product unless its build is newer than everything that it is made of. npm prepares a checkout at `npm ci`, and
// again before its first `npx --no-install cost-analytics`.
import { execSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const changedAt = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

const { include: layers } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8'));
// The build writes these files. The folder exists before, because a new folder changes its parent.
const generated = 'web/http/generated';
mkdirSync(join(root, generated), { recursive: true });
// A folder changes if one of its files is removed.
const within = (folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => !path.startsWith(generated));
const inputs = [
  'tsconfig.json',
  'tsconfig.build.json',
  'package-lock.json',
  ...layers,
  ...[...layers, 'scripts', 'web'].flatMap(within),
];

// The build writes it last.
const output = 'dist/workflows/bundle.js';
if (changedAt(output) <= Math.max(...inputs.map(changedAt))) {
  const begun = new Date();
  execSync('npm run build', { cwd: root, stdio: 'inherit' });
  // What changes during a build may be missing in it, so that the next run must build again.
  utimesSync(join(root, output), begun, begun);
}
