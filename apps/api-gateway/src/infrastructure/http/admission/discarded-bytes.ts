import { MIB } from '@postern/contracts';

const WINDOW_MS = 10_000;
/** For a client that uploads with an invalid key, and not for one that floods. */
const MAX_BYTES_PER_CLIENT = 64 * MIB;

/** Bytes of refused bodies that are read to discard them, of each client, in windows of ten seconds. */
export class DiscardedBytes {
  private clients = new Map<string, number>();
  private windowEndsAt = 0;

  /** @param now milliseconds of a clock that never goes back. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Counts bytes. @returns whether the client may send more. */
  add(client: string, bytes: number): boolean {
    const now = this.now();
    if (now >= this.windowEndsAt) {
      this.windowEndsAt = now + WINDOW_MS;
      this.clients = new Map();
    }
    const discarded = (this.clients.get(client) ?? 0) + bytes;
    this.clients.set(client, discarded);
    return discarded <= MAX_BYTES_PER_CLIENT;
  }
}
