import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Returns whether a page has a heading with the anchor, as Markdown makes anchors. */
const hasAnchor = (page, anchor) =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)].some(([, heading]) => {
    const words = heading.toLowerCase().replace(/[^\w -]/g, '');
    return words.replaceAll(' ', '-') === anchor;
  });

/** An ESLint rule: code cites only pages of this repository, by headings that exist, and no other document. */
export const citedPages = {
  create: (context) => ({
    Program: () => {
      const code = context.sourceCode;
      const report = (index, message) => {
        context.report({ loc: code.getLocFromIndex(index), message });
      };
      for (const { index } of code.text.matchAll(/§/g))
        report(index, 'Cite a page of docs/ by its heading, because readers have no other document.');
      for (const { 0: cited, 1: page, 2: anchor, index } of code.text.matchAll(
        /\b(docs\/[a-z-]+\.md)(?:#([\w-]+))?/g,
      )) {
        const path = join(root, page);
        if (!existsSync(path) || (anchor !== undefined && !hasAnchor(path, anchor)))
          report(index, `Expected a page and heading of this repository, got "${cited}".`);
      }
    },
  }),
};
