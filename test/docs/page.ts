import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** The folder that the pages describe. */
export const PRODUCT = resolve(import.meta.dirname, '../..');

/** A fenced block of a page. */
export interface Block {
  /** Its first line, for messages. */
  line: number;
  language: string;
  text: string;
  /** The reason in `<!-- not run: … -->` above the block; null if there is none. */
  notRun: string | null;
  /** The block of `json` or `text` directly below commands: their output. */
  shown: { language: string; text: string } | null;
}

/** A page of the documentation by its path below the product. */
export interface Page {
  path: string;
  text: string;
}

/** Reads README.md and every page below docs/. */
export async function readPages(): Promise<Page[]> {
  const names = (await readdir(join(PRODUCT, 'docs'))).filter((name) => name.endsWith('.md')).sort();
  const paths = ['README.md', ...names.map((name) => `docs/${name}`)];
  return Promise.all(
    paths.map(async (path) => ({ path, text: await readFile(join(PRODUCT, path), 'utf8') })),
  );
}

const MARK = /^<!-- not run: (.+) -->$/;
const OUTPUTS = ['json', 'text'];

/** Returns the fenced blocks of a page. The output of commands is part of their block. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  const lines = page.split('\n');
  /** The last line before a fence that is not blank: a mark, or the end of another block. */
  let above = '';
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const [, language] = /^\s*```(\w*)/.exec(line) ?? [];
    if (language === undefined) {
      if (line.trim() !== '') above = line.trim();
      continue;
    }
    const end = lines.findIndex((each, index) => index > at && each.trim() === '```');
    if (end < 0) throw new Error(`line ${at + 1}: expected the block to end`);
    const text = lines.slice(at + 1, end).join('\n');
    const before = blocks.at(-1);
    if (OUTPUTS.includes(language) && above === '```' && before?.language === 'sh' && before.shown === null)
      before.shown = { language, text };
    else blocks.push({ line: at + 1, language, text, notRun: MARK.exec(above)?.[1] ?? null, shown: null });
    at = end;
    above = '```';
  }
  return blocks;
}

/** Returns the rows of the tables below a heading, cell by cell, without their header rows. */
export function tableBelow(page: string, heading: string): string[][] {
  const from = page.indexOf(`\n${heading}\n`);
  if (from < 0) throw new Error(`expected the heading ${heading}`);
  const to = page.indexOf('\n#', from + heading.length + 1);
  const rows = page
    .slice(from, to < 0 ? undefined : to)
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .replace(/^\|\s*|\s*\|$/g, '')
      .split(/\s+\|\s+/)
      .map((cell) => cell.trim()),
  );
}
