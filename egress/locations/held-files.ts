import { constants, readFileSync } from 'node:fs';
import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { invalid } from '../../domain/shared/errors.ts';
import { namedBlobs, openedBlob } from '../../domain/sources/exports/object-storage.ts';
import { realRootsOf, refuseOutside } from './local-files.ts';

/** By the process's id, because its readers are other processes. */
const DESCRIPTORS = `/proc/${process.pid}/fd/`;

/** Elsewhere a file is read by its name, and the service trusts whoever can swap it for a link during the reading. */
const HAS_DESCRIPTORS = process.platform === 'linux';

/** Open files that the service keeps for connections and for itself, at most; of a small limit half. */
const KEPT = 1_000;

/** How many files the system lets this process hold open at once for one reading, at most. */
function mostHeld(): number {
  if (!HAS_DESCRIPTORS) return Infinity;
  const [, limit = ''] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return limit === '' ? Infinity : Number(limit) - Math.min(KEPT, Math.floor(Number(limit) / 2));
}

/**
 * Local files that stay open while they are read. So the service reads the files that it has checked. Whoever may write into a
 * folder could otherwise swap a file for a link to another organisation's, and back.
 */
export class HeldFiles {
  readonly #handles = new Map<string, FileHandle>();
  readonly #names = new Map<string, string>();
  readonly #most: number;

  /** @param most how many files it can hold. */
  constructor(most = mostHeld()) {
    this.#most = most;
  }

  /**
   * Opens regular files under one of `roots`. A link must not lead out of them, and the reading of a pipe may never end.
   *
   * @param paths absolute paths that `checkRealPaths` has accepted: nothing else is opened at all.
   * @throws ServiceError `invalid` that names SOURCE_ROOTS, what is no regular file, or files that are too many. Those that are
   *   too many only now, because others are read at the same time, throw EMFILE.
   */
  async hold(paths: readonly string[], roots: readonly string[], field = 'location'): Promise<void> {
    const count = new Set([...this.#handles.keys(), ...paths]).size;
    if (count > this.#most)
      throw invalid(
        `${field}: expected at most ${this.#most} files, because the service cannot hold more open, got ${count}: ` +
          'name a part of them, or raise the limit of open files (ulimit -n)',
      );
    const realRoots = await realRootsOf(roots);
    for (const path of paths) {
      if (this.#handles.has(path)) continue;
      // Without O_NONBLOCK the opening of a pipe waits until something opens it to write.
      const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      try {
        refuseOutside(
          realRoots,
          await (HAS_DESCRIPTORS ? readlink(openedAs(handle)) : realpath(path)),
          field,
        );
        if (!(await handle.stat()).isFile())
          throw invalid(
            `${field}: expected a regular file, got a folder, pipe or device: ${JSON.stringify(path)}`,
          );
      } catch (error) {
        await handle.close();
        throw error;
      }
      this.#handles.set(path, handle);
    }
  }

  /** The path under which a file is opened. The path of a local file may mean another file by now. */
  opened(path: string): string {
    const handle = this.#handles.get(path);
    return handle === undefined || !HAS_DESCRIPTORS ? openedBlob(path) : openedAs(handle);
  }

  /** Calls a folder of the service by another name in texts, because its owner does not know it. */
  call(folder: string, name: string): void {
    this.#names.set(folder, name);
  }

  /** A text that calls files as they were opened, with their own paths. */
  named(text: string): string {
    let named = namedBlobs(text);
    if (text.includes(DESCRIPTORS)) {
      const paths = new Map([...this.#handles].map(([path, handle]) => [openedAs(handle), path]));
      named = named.replace(/\/proc\/\d+\/fd\/\d+/g, (opened) => paths.get(opened) ?? opened);
    }
    for (const [folder, name] of this.#names) named = named.replaceAll(folder, name);
    return named;
  }

  /** Closes them all. */
  async release(): Promise<void> {
    const handles = [...this.#handles.values()];
    this.#handles.clear();
    await Promise.all(handles.map((handle) => handle.close()));
  }
}

const openedAs = ({ fd }: FileHandle): string => `${DESCRIPTORS}${fd}`;
