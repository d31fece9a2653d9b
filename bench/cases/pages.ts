import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../client/chromium.ts';
import { gzipKilobytes } from '../client/gzip-size.ts';
import { startService } from '../client/service.ts';
import { writeManyMetrics } from '../data/many-metrics.ts';
import { NOW } from '../data/months-organisation.ts';
import { alone, compared, type Measurement } from '../measurement.ts';
import type { RunOptions } from '../run-options.ts';
import { say } from '../say.ts';
import { median, percentile } from '../statistics.ts';

const VIEWPORT = { width: 1280, height: 900 };
const WHEEL_PIXELS = 400;
const WHEEL_TURNS = 100;

const MOST_SCRIPTS_KB = 180;
const MOST_PAINT_MS = 800;
/** Browsers' makers call a tenth good. We allow a rounding error. */
const MOST_SHIFT = 0.001;
/** A frame that takes longer than four of a usual screen is seen as a jerk. */
const JERK_MS = 67;

/** A row of the table of metrics. */
const FIRST_ROW = 'table tr:nth-child(2) th';

/** What the browser itself measured while it opened a page. */
interface Opened {
  /** The largest contentful paint after the navigation began, in milliseconds. */
  paintMs: number;
  /** The cumulative layout shift. */
  shift: number;
  scripts: string[];
}

/** Collects paints and shifts from the begin of each page. */
const OBSERVE = `
  window.measured = { paintMs: 0, shift: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) window.measured.paintMs = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.measured.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

const MEASURED = `({ ...window.measured,
  scripts: performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js')) })`;

/** Measures the time between frames while the wheel turns. */
const FRAMES = `
  window.frames_ms = [];
  let last = performance.now();
  const next = (now) => { window.frames_ms.push(now - last); last = now; requestAnimationFrame(next); };
  requestAnimationFrame(next);`;

/** Opens the overview with an empty cache, and waits until its rows are there and nothing loads any more. */
async function openCold(
  browser: Browser,
  url: string,
  secret: string | null,
): Promise<{ page: Page; opened: Opened }> {
  const context = await browser.newContext({ baseURL: url, viewport: VIEWPORT });
  if (secret !== null) {
    const answer = await context.request.post('/api/v1/session', {
      data: { key: secret },
      headers: { origin: url },
    });
    if (!answer.ok()) throw new Error(`POST /session answered ${answer.status()}`);
  }
  await context.addInitScript(OBSERVE);
  const page = await context.newPage();
  await page.goto('/');
  await page.locator(FIRST_ROW).first().waitFor();
  await page.waitForLoadState('networkidle');
  return { page, opened: await page.evaluate<Opened>(MEASURED) };
}

/** Serves a page without scripts whose table has as many rows as ours has metrics. */
async function serveBarePage(rows: number): Promise<{ url: string; stop: () => void }> {
  const cells = '<td>0.123456</td>'.repeat(6);
  const table = Array.from(
    { length: rows },
    (_, row) => `<tr style="height:46px"><th>metric ${row}</th>${cells}`,
  );
  const page = `<!doctype html><title>Bare</title><h1>Overview</h1><table>${table.join('')}</table>`;
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(page);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() };
}

/** Scrolls down with the wheel, and returns the time of each frame in milliseconds. */
async function scroll(page: Page): Promise<number[]> {
  await page.mouse.move(VIEWPORT.width / 2, VIEWPORT.height / 2);
  await page.evaluate(FRAMES);
  for (let turn = 0; turn < WHEEL_TURNS; turn++) await page.mouse.wheel(0, WHEEL_PIXELS);
  return page.evaluate<number[]>('window.frames_ms');
}

interface Size {
  metrics: number;
  rows: number;
}

/** Runs `work` with the service over an organisation of many metrics, and a bare page with as many rows. */
async function withPages(
  { metrics, rows }: Size,
  work: (
    ours: { url: string; secret: string },
    bare: { url: string; secret: null },
  ) => Promise<Measurement[]>,
): Promise<Measurement[]> {
  const directory = await mkdtemp(join(tmpdir(), 'cost-analytics-pages-'));
  say(`pages: writing ${metrics} metrics`);
  const { secret } = await writeManyMetrics(directory, { metrics, rows });
  const service = await (await startService(directory, { CLOCK: NOW.toISOString() })).ready;
  const bare = await serveBarePage(metrics);
  try {
    return await work({ url: service.url, secret }, { url: bare.url, secret: null });
  } finally {
    bare.stop();
    await service.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Opens the overview again and again with an empty cache: scripts, largest contentful paint and layout shift. */
const opening = (browser: Browser, size: Size, repetitions: number): Promise<Measurement[]> =>
  withPages(size, async (ours, bare) => {
    const samples: Record<'ours' | 'limit', Opened[]> = { ours: [], limit: [] };
    for (let repetition = 0; repetition < repetitions; repetition++)
      for (const [side, { url, secret }] of [['ours', ours] as const, ['limit', bare] as const]) {
        const { page, opened } = await openCold(browser, url, secret);
        samples[side].push(opened);
        await page.context().close();
      }
    const name = `overview of ${size.metrics} metrics, empty cache`;
    const paints = (side: 'ours' | 'limit'): number[] => samples[side].map(({ paintMs }) => paintMs);
    const scripts = samples.ours[0]?.scripts ?? [];
    return [
      alone(
        { benchmark: 'pages', name: `${name}: all scripts as gzip`, unit: 'kB', target: MOST_SCRIPTS_KB },
        await gzipKilobytes(scripts),
      ),
      alone(
        { benchmark: 'pages', name: `${name}: largest contentful paint`, unit: 'ms', target: MOST_PAINT_MS },
        median(paints('ours')),
      ),
      compared(
        { benchmark: 'pages', name: `${name}: the paint against a bare table`, unit: 'ms', target: null },
        { ours: paints('ours'), limit: paints('limit') },
      ),
      alone(
        { benchmark: 'pages', name: `${name}: layout shift (score)`, unit: 'count', target: MOST_SHIFT },
        Math.max(...samples.ours.map(({ shift }) => shift)),
      ),
    ];
  });

/** Scrolls through all metrics, and compares the time of frames with those of a bare table. */
const scrolling = (browser: Browser, size: Size, repetitions: number): Promise<Measurement[]> =>
  withPages(size, async (ours, bare) => {
    const frames: Record<'ours' | 'limit', number[]> = { ours: [], limit: [] };
    let shift = 0;
    for (let repetition = 0; repetition < repetitions; repetition++)
      for (const [side, { url, secret }] of [['ours', ours] as const, ['limit', bare] as const]) {
        const { page } = await openCold(browser, url, secret);
        frames[side].push(...(await scroll(page)));
        if (side === 'ours') shift = Math.max(shift, (await page.evaluate<Opened>(MEASURED)).shift);
        await page.context().close();
      }
    const name = `${size.metrics} metrics scrolled`;
    const share = (times: readonly number[]): number =>
      (100 * times.filter((time) => time > JERK_MS).length) / times.length;
    say(`pages: ${frames.ours.length} frames, ${share(frames.ours).toFixed(1)} % above ${JERK_MS} ms`);
    return [
      ...[50, 95, 99].map((percent) =>
        compared(
          { benchmark: 'pages', name: `${name}: p${percent} of frames`, unit: 'ms', target: null },
          { ours: [percentile(frames.ours, percent)], limit: [percentile(frames.limit, percent)] },
        ),
      ),
      alone(
        { benchmark: 'pages', name: `${name}: layout shift (score)`, unit: 'count', target: MOST_SHIFT },
        shift,
      ),
    ];
  });

/** `pages`: measures in a real browser how fast the overview opens and scrolls. */
export async function pages({ quick, repetitions }: RunOptions): Promise<Measurement[]> {
  const browser = await launchChromium();
  try {
    const few = quick ? { metrics: 10, rows: 20_000 } : { metrics: 100, rows: 1_000_000 };
    const many = quick ? { metrics: 250, rows: 20_000 } : { metrics: 1_000, rows: 1_000_000 };
    return [...(await opening(browser, few, repetitions)), ...(await scrolling(browser, many, repetitions))];
  } finally {
    await browser.close();
  }
}
