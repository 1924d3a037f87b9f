import { type Backend, backendSet, type ClosedReason, closing } from '@postern/load-balancer-client';
import pLimit from 'p-limit';
import { z } from 'zod';
import type { DurableFile } from './durable-file.js';
import { RefusedOrder } from './refused-order.js';

const entry = z.object({
  id: z.string(),
  name: z.string(),
  port: z.int(),
  hostLabel: z.string(),
  version: z.int(),
  closed: closing.shape.reason.nullable(),
  backends: backendSet.shape.backends,
});

export const routeTableShape = z.object({ services: z.array(entry) });

/** The persistent state of one service's route. */
export type RouteEntry = Readonly<z.infer<typeof entry>>;

/** The routes on disk. A change is durable before it is applied; changes run one at a time. */
export class RouteTable {
  #entries = new Map<string, RouteEntry>();
  readonly #oneAtATime = pLimit(1);

  constructor(private readonly file: DurableFile<z.infer<typeof routeTableShape>>) {}

  async load(): Promise<void> {
    const table = await this.file.load();
    this.#entries = new Map(table?.services.map(found => [found.id, found]));
  }

  entries(): RouteEntry[] {
    return [...this.#entries.values()];
  }

  find(id: string): RouteEntry | undefined {
    return this.#entries.get(id);
  }

  /**
   * Applies `change` to the current entry once earlier changes are complete; undefined deletes the entry. `apply`
   * completes before the next change starts.
   */
  change(
    id: string,
    change: (found: RouteEntry | undefined) => RouteEntry | undefined | Promise<RouteEntry | undefined>,
    apply: (entry: RouteEntry | undefined) => void | Promise<void> = () => undefined,
  ): Promise<RouteEntry | undefined> {
    return this.runExclusive(async () => {
      const before = this.#entries.get(id);
      const after = await change(before);
      if (after !== before) await this.#save(id, after);
      await apply(after);
      return after;
    });
  }

  /** Runs `work` while no change is made. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#oneAtATime(work);
  }

  /** Replaces an entry from within `runExclusive`. */
  keep(entry: RouteEntry): Promise<void> {
    return this.#save(entry.id, entry);
  }

  async #save(id: string, after: RouteEntry | undefined): Promise<void> {
    const next = new Map(this.#entries);
    if (after) next.set(id, after);
    else next.delete(id);
    await this.file.save({ services: [...next.values()] });
    this.#entries = next;
  }
}

/** The entry with new backends, open for traffic. */
export const withBackends = (found: RouteEntry, backends: readonly Backend[], version: number): RouteEntry => {
  refuseOlder(version, found);
  return { ...found, backends: [...backends], version, closed: null };
};

/** The entry without backends, with the reason. */
export const withoutTraffic = (found: RouteEntry, reason: ClosedReason, version = found.version): RouteEntry => {
  refuseOlder(version, found);
  return { ...found, backends: [], version, closed: reason };
};

const refuseOlder = (version: number, found: RouteEntry): void => {
  if (version < found.version) throw new RefusedOrder(409, `version ${version} is older than ${found.version}`);
};

/** First label of the service's host name: readable, and unique by the random end of the id. */
export const hostLabelOf = (id: string, name: string): string => {
  const shortId = id.replaceAll('-', '').slice(-8).toLowerCase();
  const readable = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 62 - shortId.length)
    .replace(/^-+|-+$/g, '');
  return readable ? `${readable}-${shortId}` : `service-${shortId}`;
};
