import { z } from 'zod';

const answer = z.union([
  z.looseObject({ success: z.literal(true), data: z.unknown() }),
  z.object({ success: z.literal(false), error: z.string() }),
]);

/** The service's refusal of a request, in its own words. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Calls to the service over HTTP, as the holder of a key; paths begin at the service's root. */
export class ApiClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>) {
    this.#url = url;
    this.#headers = headers;
  }

  get<Data extends z.ZodType>(path: string, data: Data): Promise<z.infer<Data>> {
    return this.#send('GET', path, data);
  }

  post<Data extends z.ZodType>(path: string, data: Data, body?: unknown): Promise<z.infer<Data>> {
    return this.#send('POST', path, data, body);
  }

  patch<Data extends z.ZodType>(path: string, data: Data, body: unknown): Promise<z.infer<Data>> {
    return this.#send('PATCH', path, data, body);
  }

  async #send<Data extends z.ZodType>(
    method: string,
    path: string,
    data: Data,
    body?: unknown,
  ): Promise<z.infer<Data>> {
    const response = await fetch(new URL(path, this.#url), {
      method,
      headers: {
        ...this.#headers,
        // No connection stays open that a stopping service would wait for.
        connection: 'close',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const parsed = answer.parse(await response.json());
    if (!parsed.success) throw new Refused(response.status, parsed.error);
    return data.parse(parsed.data);
  }
}
