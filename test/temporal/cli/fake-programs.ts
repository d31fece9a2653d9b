import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Creates a PATH folder with executable shell scripts. They must not need other programs on the PATH. */
export async function folderWithPrograms(folder: string, programs: Record<string, string>): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [name, body] of Object.entries(programs)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  }
  return folder;
}

/** A script that the search accepts as the Temporal CLI. */
export const FAKE_TEMPORAL = 'echo "temporal version 1.5.1"';

/** A script for `go` that "builds" {@link FAKE_TEMPORAL} in two writes, so that a reader could see a partial file. */
export const FAKE_GO = [
  'echo "go: downloading $*" >&2',
  `echo '#!/bin/sh' > "$GOBIN/temporal"`,
  `echo '${FAKE_TEMPORAL}' >> "$GOBIN/temporal"`,
].join('\n');
