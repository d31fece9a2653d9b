import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';

/** The names that Debian and others give it. */
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const onPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)));

/** The Chromium that CHROMIUM names, or else the first on the PATH; null if there is none. */
export const CHROMIUM =
  [process.env['CHROMIUM'] ?? '', ...onPath].find((place) => place !== '' && existsSync(place)) ?? null;

/** Starts the installed Chromium without a window. Throws an error if there is none. */
export const launchChromium = async (): Promise<Browser> => {
  if (CHROMIUM === null) throw new Error('there is no Chromium: install it, or set CHROMIUM to its path');
  return chromium.launch({
    executablePath: CHROMIUM,
    // It may run as root in a container, where Chromium has no sandbox.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
};
