const MAX_CREDENTIALS = 10_000;
const KNOWN_MS = 10 * 60_000;

/**
 * Remembers the hashes of credentials that services accepted lately. It only decides which bodies are read and whose
 * requests spend no client budget; services authenticate every request themselves.
 */
export class AcceptedCredentials {
  private readonly acceptedAt = new Map<string, number>();

  /** @param now milliseconds of a clock that never goes back. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  accept(hash: string): void {
    this.acceptedAt.delete(hash);
    this.acceptedAt.set(hash, this.now());
    if (this.acceptedAt.size <= MAX_CREDENTIALS) return;
    const [oldest] = this.acceptedAt.keys();
    if (oldest !== undefined) this.acceptedAt.delete(oldest);
  }

  forget(hash: string): void {
    this.acceptedAt.delete(hash);
  }

  /** Whether the credential was accepted within `withinMs`, at most ten minutes ago. */
  isKnown(hash: string, withinMs = KNOWN_MS): boolean {
    const at = this.acceptedAt.get(hash);
    return at !== undefined && this.now() - at < Math.min(withinMs, KNOWN_MS);
  }
}
