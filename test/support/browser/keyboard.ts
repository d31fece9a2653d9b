import type { Page } from 'playwright-core';

/** Presses of Tab after which an element counts as out of reach. */
const MOST_TABS = 150;

/**
 * The name of the element that has the focus, as far as the pages give names. It runs in the browser. After Tab leaves a day's
 * field, a dialog corrects the focus in a timer. A slow browser runs that timer late. So this timer waits behind it.
 */
const FOCUSED_NAME = `new Promise((resolve) => setTimeout(() => {
  const focused = document.activeElement;
  resolve(focused.getAttribute('aria-label') ?? focused.labels?.[0]?.textContent ?? focused.textContent);
}))`;

/** Moves the focus by Tab alone until it is on the element with a name. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let press = 0; press < MOST_TABS; press += 1) {
    await page.keyboard.press('Tab');
    if (name.test((await page.evaluate<string | null>(FOCUSED_NAME)) ?? '')) return;
  }
  throw new Error(`Tab does not reach ${String(name)}`);
}

/** Waits until a dialog has taken the focus. Until then Tab goes through the page behind it. */
export const untilInDialog = (page: Page): Promise<unknown> =>
  page.waitForFunction(`document.activeElement.closest('[role=dialog]') !== null`);
