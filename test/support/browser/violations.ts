import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns each rule of accessibility that an element of a page breaks, with the element. An open dialog is part of its page. */
export async function violationsOf(page: Page): Promise<string[]> {
  // The mouse is still where it clicked. A tooltip is in no landmark, and fades once the mouse leaves its button.
  await page.mouse.move(0, 0);
  await page.getByRole('tooltip').first().waitFor({ state: 'hidden' });
  // The Content-Security-Policy allows no script of another origin, but the browser's own evaluation.
  await page.evaluate(await axe);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  );
}
