import { chromium, type Browser } from 'playwright-core';
import { CHROMIUM } from './find-chromium.ts';

/** Starts the installed Chromium without a window. Throws an error if there is none. */
export async function launchChromium(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error('there is no Chromium: install it, or set CHROMIUM to its path');
  return chromium.launch({
    executablePath: CHROMIUM,
    // It may run as root in a container, where Chromium has no sandbox.
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
}
