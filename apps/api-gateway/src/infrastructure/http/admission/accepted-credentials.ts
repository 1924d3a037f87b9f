const MAX_ENTRIES = 10_000;
const KNOWN_MS = 10 * 60_000;
/** A use within this time after the recorded one is not recorded. */
const SAME_MS = 1_000;

/**
 * Remembers the hashes of credentials that services recently accepted, and their clients. This only determines which
 * bodies are read and which requests of a flooding client are answered; services authenticate every request themselves.
 */
export class AcceptedCredentials {
  readonly #acceptedAt = new Map<string, number>();
  readonly #clients = new Map<string, number>();

  /** @param now a monotonic clock, in milliseconds. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  accept(hash: string, client: string): void {
    this.#remember(this.#acceptedAt, hash);
    this.#remember(this.#clients, client);
  }

  forget(hash: string): void {
    this.#acceptedAt.delete(hash);
  }

  /** Whether the credential was accepted within `withinMs`, at most ten minutes ago. */
  isKnown(hash: string, withinMs = KNOWN_MS): boolean {
    return this.#isRecent(this.#acceptedAt.get(hash), withinMs);
  }

  /** Whether a client has recently used an accepted credential; others may share its address. */
  isClientKnown(client: string): boolean {
    return this.#isRecent(this.#clients.get(client), KNOWN_MS);
  }

  #isRecent(at: number | undefined, withinMs: number): boolean {
    return at !== undefined && this.now() - at < Math.min(withinMs, KNOWN_MS);
  }

  #remember(entries: Map<string, number>, key: string): void {
    if (this.#isRecent(entries.get(key), SAME_MS)) return;
    entries.delete(key);
    entries.set(key, this.now());
    if (entries.size <= MAX_ENTRIES) return;
    const [oldest] = entries.keys();
    if (oldest !== undefined) entries.delete(oldest);
  }
}
