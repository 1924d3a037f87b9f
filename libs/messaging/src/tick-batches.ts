import { guarded } from './guard.js';
import type { Log } from './log.js';

const MAX_FRAMES = 256;
const COMFORTABLE_BYTES = 512 * 1024;
/** How long frames are collected while many others wait for their answers: short against the time that those take. */
export const COLLECT_MS = 3;

/** Encoded frames that fit into one message. */
export interface Batch<Item> {
  readonly items: Item[];
  readonly data: Buffer;
}

interface Queued<Item> {
  readonly item: Item;
  /** JSON. */
  readonly frame: Buffer;
}

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');

/**
 * Collects frames for one destination until the event loop has read all ready sockets, and sends them in as few
 * messages as possible: two thirds more requests per second than one message each.
 */
export class TickBatches<Item> {
  readonly #queues = new Map<string, Queued<Item>[]>();
  readonly #sendGuarded: (destination: string, batch: Batch<Item>) => void;
  readonly #flushGuarded: () => void;
  #scheduled: NodeJS.Immediate | undefined;
  #collecting: NodeJS.Timeout | undefined;

  /**
   * @param where the name of these batches in the log
   * @param collects whether frames are collected for `COLLECT_MS`: a message costs the same for one frame as for ten
   */
  constructor(
    private readonly maxPayload: () => number,
    log: Log,
    where: string,
    send: (destination: string, batch: Batch<Item>) => void,
    private readonly collects: () => boolean = () => false,
  ) {
    // An error for one destination must not affect the frames of others.
    this.#sendGuarded = guarded(log, where, send);
    this.#flushGuarded = guarded(log, where, () => this.flush());
  }

  /**
   * Queues a frame, which is JSON.
   * @returns its size in bytes when it is too large for any message; undefined otherwise.
   */
  add(destination: string, item: Item, frame: Buffer): number | undefined {
    if (frame.length + 2 > this.maxPayload()) return frame.length;
    const queue = this.#queues.get(destination);
    if (queue) queue.push({ item, frame });
    else this.#queues.set(destination, [{ item, frame }]);
    if (this.#scheduled ?? this.#collecting) return undefined;
    if (this.collects()) this.#collecting = setTimeout(this.#flushGuarded, COLLECT_MS);
    else this.#scheduled = setImmediate(this.#flushGuarded);
    return undefined;
  }

  flush(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    clearTimeout(this.#collecting);
    this.#collecting = undefined;
    const queues = [...this.#queues];
    this.#queues.clear();
    const limit = Math.min(this.maxPayload(), COMFORTABLE_BYTES);
    for (const [destination, queue] of queues) {
      let from = 0;
      let bytes = 2;
      for (let at = 0; at < queue.length; at += 1) {
        const next = queue[at]!.frame.length + 1;
        if (at > from && (bytes + next > limit || at - from >= MAX_FRAMES)) {
          this.#send(destination, queue.slice(from, at));
          from = at;
          bytes = 2;
        }
        bytes += next;
      }
      this.#send(destination, queue.slice(from));
    }
  }

  #send(destination: string, queued: Queued<Item>[]): void {
    const data = Buffer.concat([...queued.flatMap(({ frame }, at) => [at === 0 ? OPEN : COMMA, frame]), CLOSE]);
    this.#sendGuarded(destination, { items: queued.map(({ item }) => item), data });
  }
}
