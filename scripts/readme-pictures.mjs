// Takes the two pictures of the README from a running demo:
//   API_KEY=… node scripts/readme-pictures.mjs URL
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from '../dist/bench/client/chromium.js';

const [url] = process.argv.slice(2);
const key = process.env.API_KEY;
if (url === undefined || key === undefined) {
  process.stderr.write('expected API_KEY=… node scripts/readme-pictures.mjs URL\n');
  process.exit(2);
}

/** A larger picture would slow down every clone. */
const MOST_BYTES = 150_000;

const metrics = await fetch(`${url}/api/v1/metrics?name=Orders`, { headers: { 'x-api-key': key } });
const [orders] = (await metrics.json()).data;
const browser = await launchChromium();
const page = await browser.newPage({
  baseURL: url,
  colorScheme: 'light',
  viewport: { width: 1360, height: 780 },
  reducedMotion: 'reduce',
});
await page.request.post('/api/v1/session', { data: { key }, headers: { origin: url } });
for (const [name, path, heading] of [
  ['dashboard', '/', 'Overview'],
  ['metric', `/business-metrics/${orders.id}`, 'Orders'],
]) {
  const picture = join(import.meta.dirname, '../docs', `${name}.png`);
  await page.goto(path);
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: picture });
  const { size } = statSync(picture);
  if (size > MOST_BYTES) throw new Error(`${picture}: expected at most ${MOST_BYTES} bytes, got ${size}`);
}
await browser.close();
