import type { ApiNode } from '../data/crash-load.ts';
import type { Random } from '../data/random.ts';
import type { Cluster, Role } from './cluster.ts';

/** Several processes of a cluster that are killed and started again and again. */
export class Processes {
  /** Milliseconds from each start until the process served. */
  readonly starts: number[] = [];
  readonly #cluster: Cluster;
  readonly #running: Running[] = [];

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  async start(role: Role): Promise<void> {
    this.#running.push(await this.#startOne(role));
  }

  /** The APIs that serve now. */
  get apis(): ApiNode[] {
    return this.#running.flatMap(({ api }) => api ?? []);
  }

  /** Kills a random process, and starts another in its place without waiting for it. */
  async replaceOne(random: Random): Promise<void> {
    const index = random.between(0, this.#running.length - 1);
    const chosen = this.#running[index];
    if (chosen === undefined) throw new Error('no process was started');
    await chosen.kill();
    this.#running[index] = await this.#startOne(chosen.role);
  }

  /** Waits until all processes serve. Starts another in place of each that has ended by itself, and returns what it said. */
  async allServe(): Promise<string[]> {
    const deaths: string[] = [];
    for (const [index, { role }] of this.#running.entries()) {
      for (;;) {
        const death = await this.#running[index]?.death();
        if (death === undefined || death === null) break;
        deaths.push(death);
        if (deaths.length > MOST_DEATHS) throw new Error(death);
        this.#running[index] = await this.#startOne(role);
      }
    }
    return deaths;
  }

  async kill(): Promise<void> {
    await Promise.all(this.#running.map(({ kill }) => kill()));
  }

  async #startOne(role: Role): Promise<Running> {
    const begun = performance.now();
    const { ready, exited, kill } = await this.#cluster.start(role);
    let isKilled = false;
    let code: number | null | undefined;
    const running: Running = {
      role,
      api: null,
      death: () =>
        ready.then(
          () => (code === undefined ? null : `a ${role} ended by itself with ${String(code)}`),
          (error: unknown) => String(error),
        ),
      kill: async () => {
        isKilled = true;
        running.api = null;
        await kill();
      },
    };
    void exited.then((ended) => {
      code = ended;
      running.api = null;
    });
    ready.then(
      ({ url }) => {
        this.starts.push(performance.now() - begun);
        if (role === 'api' && code === undefined) running.api = { url, isKilled: () => isKilled };
      },
      // It was killed before it served.
      () => undefined,
    );
    return running;
  }
}

const MOST_DEATHS = 20;

interface Running {
  role: Role;
  /** The API that it serves. Null as long as it starts, after its end, and for a worker. */
  api: ApiNode | null;
  /** Resolves when it serves, with null, or with a description if it has ended. */
  death: () => Promise<string | null>;
  kill: () => Promise<void>;
}
