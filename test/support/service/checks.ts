import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CheckedSource } from '../../../domain/sources/checks/checked-source.ts';
import type { SetUp } from '../exports/wrong-set-ups.ts';
import { freeName } from './free-name.ts';
import type { LocalApi } from './local-api.ts';

/** The answer of a check. */
export interface Checked extends CheckedSource {
  ok: boolean;
}

interface Answer {
  status: number;
  data: Checked;
  error: string | undefined;
}

/** Returns what asks an API for looks at sources. */
export function checksOf(api: Pick<LocalApi, 'url' | 'directory' | 'newTenant'>) {
  const ask = async (secret: string, body: object, signal?: AbortSignal): Promise<Answer> => {
    const answer = await fetch(`${api.url}/api/v1/cost-sources/check`, {
      method: 'POST',
      headers: { 'x-api-key': secret, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
    return { error: undefined, ...((await answer.json()) as { data: Checked }), status: answer.status };
  };

  /** Writes the files of a set-up and returns the body that connects it. */
  const bodyOf = async (orgId: string, setUp: SetUp): Promise<object> => {
    const { kind = 'focus', files, second, options = {} } = setUp;
    const name = freeName(orgId, 'Source');
    const folder = join(api.directory, orgId, name);
    await mkdir(folder, { recursive: true });
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, 'files', path)), { recursive: true });
      await writeFile(join(folder, 'files', path), content);
    }
    const field = kind === 'opencost' ? 'assets_location' : 'usage_location';
    if (second !== undefined) await writeFile(join(folder, 'second.csv'), second);
    return {
      name,
      kind,
      location: setUp.location ?? join(folder, 'files'),
      options: { ...options, ...(second === undefined ? {} : { [field]: join(folder, 'second.csv') }) },
    };
  };

  /** Looks at a set-up, by default in an organisation of its own. */
  const check = async (setUp: SetUp, tenant?: { orgId: string; secret: string }): Promise<Checked> => {
    const { orgId, secret } = tenant ?? (await api.newTenant());
    const { status, data, error } = await ask(secret, await bodyOf(orgId, setUp));
    if (status !== 200) throw new Error(`expected 200, got ${status}: ${error ?? ''}`);
    return data;
  };

  return { ask, bodyOf, check };
}
