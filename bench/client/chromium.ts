import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

/** Where Debian and others install Chromium. CHROMIUM names another place. */
const PLACES = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The installed Chromium, or null. */
export const CHROMIUM =
  PLACES.find((place) => place !== undefined && place !== '' && existsSync(place)) ?? null;

/** Starts the installed Chromium without a window. Throws an error if there is none. */
export const launchChromium = async (): Promise<Browser> => {
  if (CHROMIUM === null) throw new Error('there is no Chromium: install it, or set CHROMIUM to its path');
  return chromium.launch({
    executablePath: CHROMIUM,
    // It may run as root in a container, where Chromium has no sandbox.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
};
