import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The names that Debian and others give it. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const onPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)));

/** The Chromium that CHROMIUM names, or else the first on the PATH. It is null on a machine without one. */
export const CHROMIUM =
  [process.env['CHROMIUM'] ?? '', ...onPath].find((place) => place !== '' && existsSync(place)) ?? null;
