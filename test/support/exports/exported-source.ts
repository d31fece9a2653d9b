import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Kind } from '../../../domain/sources/kinds.ts';

/** A source to connect: its files by name, and what the API needs to know of it beside their location. */
export interface ExportedSource {
  kind: Kind;
  /** The content of each file. A text whose name ends in `.gz` is compressed. */
  files: Record<string, string | Buffer>;
  /** The text of the second feed: assets of clusters, usage of AI tools. */
  second?: string;
  startsOn?: string;
  options?: Record<string, unknown>;
}

const SECOND_FEED: Partial<Record<string, string>> = {
  opencost: 'assets_location',
  ai_tools: 'usage_location',
};

/** Writes the files of sources into folders below `folder`, and returns what the API needs to connect each. */
export async function writeSources(folder: string, sources: readonly ExportedSource[]) {
  const written = [];
  for (const [place, source] of sources.entries()) {
    const own = join(folder, String(place));
    const location = join(own, 'files');
    await mkdir(location, { recursive: true });
    for (const [name, content] of Object.entries(source.files)) {
      await mkdir(dirname(join(location, name)), { recursive: true });
      const isCompressed = typeof content === 'string' && name.endsWith('.gz');
      await writeFile(join(location, name), isCompressed ? gzipSync(content) : content);
    }
    const second = SECOND_FEED[source.kind];
    const options: Record<string, unknown> = { ...source.options };
    if (second !== undefined) {
      options[second] = join(own, 'second.csv');
      await writeFile(join(own, 'second.csv'), source.second ?? '');
    }
    const { kind, startsOn = '2025-11-01' } = source;
    written.push({ name: `Source ${place}`, kind, location, options, starts_on: startsOn });
  }
  return written;
}
