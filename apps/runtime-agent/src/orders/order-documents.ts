import { createHash } from 'node:crypto';

interface Received {
  readonly parts: (string | undefined)[];
  text: string | undefined;
  usedAt: number;
}

/** How long a document is kept after its last use. */
const KEPT_MS = 10 * 60_000;

/** Texts that orders reference by digest, cached in memory: most of them are the same at every reconciliation. */
export class OrderDocuments {
  readonly #received = new Map<string, Received>();

  /** Adds one part. The document is complete when all parts are present and their digest matches. */
  put(digest: string, part: number, parts: number, text: string): void {
    let received = this.#received.get(digest);
    if (received?.text !== undefined) return;
    if (received?.parts.length !== parts)
      received = { parts: Array(parts).fill(undefined), text: undefined, usedAt: 0 };
    if (part >= parts) return;
    received.parts[part] = text;
    received.usedAt = performance.now();
    this.#received.set(digest, received);
    if (received.parts.some(each => each === undefined)) return;
    const whole = received.parts.join('');
    if (digestOf(whole) === digest) received.text = whole;
    else this.#received.delete(digest);
  }

  /** Returns the digests whose document is not stored. */
  missing(digests: readonly string[]): string[] {
    return [...new Set(digests)].filter(digest => this.#use(digest)?.text === undefined);
  }

  /** @throws if the document is not stored. */
  read(digest: string): unknown {
    const text = this.#use(digest)?.text;
    if (text === undefined) throw new Error(`no document has the digest ${digest}`);
    return JSON.parse(text);
  }

  /** Deletes documents that were not used for `KEPT_MS`. */
  cleanUp(): void {
    const before = performance.now() - KEPT_MS;
    for (const [digest, { usedAt }] of this.#received) if (usedAt < before) this.#received.delete(digest);
  }

  #use(digest: string): Received | undefined {
    const received = this.#received.get(digest);
    if (received) received.usedAt = performance.now();
    return received;
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
