// Takes a picture of every page of a running service, in three widths, light and dark:
//   API_KEY=… node scripts/screenshots.mjs URL [FOLDER]
// Errors of scripts and refused requests go to standard error.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launchChromium } from '../dist/bench/client/chromium.js';

const [url, folder = 'screenshots'] = process.argv.slice(2);
const key = process.env.API_KEY;
if (url === undefined || key === undefined) {
  process.stderr.write('expected API_KEY=… node scripts/screenshots.mjs URL [FOLDER]\n');
  process.exit(2);
}

/** The id of the first record of a list. */
async function firstId(list) {
  const response = await fetch(`${url}/api/v1/${list}?limit=1`, { headers: { 'x-api-key': key } });
  if (!response.ok) throw new Error(`GET /${list} answered ${response.status}`);
  return (await response.json()).data[0]?.id;
}

const ids = {
  metric: await firstId('metrics'),
  team: await firstId('teams'),
  source: await firstId('cost-sources'),
};
const pages = JSON.parse(await readFile(new URL('../test/support/browser/pages.json', import.meta.url)));
await mkdir(folder, { recursive: true });
const browser = await launchChromium();
for (const colorScheme of ['light', 'dark'])
  for (const width of [360, 1280, 1920]) {
    const context = await browser.newContext({
      baseURL: url,
      colorScheme,
      viewport: { width, height: width < 500 ? 740 : 900 },
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    page.on('pageerror', (error) => process.stderr.write(`${page.url()}: ${error}\n`));
    page.on('console', (message) => {
      if (message.type() === 'error') process.stderr.write(`${page.url()}: ${message.text()}\n`);
    });
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(path.replace(/\{(\w+)\}/, (_, kind) => ids[kind] ?? 'none'));
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      if (name === 'sign-in')
        await page.request.post('/api/v1/session', { data: { key }, headers: { origin: url } });
    }
    await context.close();
  }
await browser.close();
