import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { operatorKeyFile } from './settings/operator-key.ts';
import type { Settings } from './settings/settings.ts';

const answer = z.union([
  z.looseObject({ success: z.literal(true), data: z.unknown() }),
  z.object({ success: z.literal(false), error: z.string() }),
]);

/** The address of the service for a command, and the headers that authenticate it. */
export interface ServiceAccess {
  url: string;
  headers: Record<string, string>;
}

/** Returns the operator's access to the service at `url`, or to the one in the settings. */
export async function operatorAccess(settings: Settings, url: string | undefined): Promise<ServiceAccess> {
  const file = operatorKeyFile(settings.dataDir);
  const key =
    settings.OPERATOR_KEY ??
    (await readFile(file, 'utf8').catch(() => {
      throw new Error(
        `no operator key: set OPERATOR_KEY, or DATA_DIR to the service's data directory (looked for ${file})`,
      );
    }));
  return {
    url:
      url ?? `http://${settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST}:${settings.port}`,
    headers: { 'x-operator-key': key.trim() },
  };
}

/** The service rejected a request. The message is the service's own. */
export class Rejected extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Calls the service and returns the parsed data. Undefined fields of the body are not sent. Throws {@link Rejected} if the service rejects the request. */
export async function call<Data extends z.ZodType>(
  access: ServiceAccess,
  data: Data,
  request: { method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'; path: string; body?: unknown },
): Promise<z.infer<Data>> {
  let response: Response;
  try {
    response = await fetch(new URL(request.path, access.url), {
      method: request.method,
      headers: {
        ...access.headers,
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
  } catch (cause) {
    throw new Error(
      `no service answers at ${access.url}: start one with cost-analytics start, or set --url to its address`,
      { cause },
    );
  }
  const parsed = answer.parse(await response.json());
  if (!parsed.success) throw new Rejected(response.status, parsed.error);
  return data.parse(parsed.data);
}
