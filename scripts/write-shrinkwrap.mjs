// Writes npm-shrinkwrap.json: the versions that the release was tested with. Run by `npm pack` and `npm publish`.
// `npm ci` in an unpacked release needs the whole lock. From a registry, npm would install all of it, also the tools of developers.
import { readFileSync, writeFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
if (process.env.npm_command === 'publish')
  lock.packages = Object.fromEntries(Object.entries(lock.packages).filter(([, { dev }]) => dev !== true));
writeFileSync('npm-shrinkwrap.json', `${JSON.stringify(lock, null, 2)}\n`);
