import { createHash, type Hash } from 'node:crypto';
import { canonicalLines } from './dkim.js';
import { base64, type EncodedText, linesOf, quotedPrintablePiece } from './transfer-encoding.js';

/** Whole lines of a body. */
export interface BodyChunk {
  readonly bytes: Buffer;
  /** In the relaxed form of DKIM. */
  readonly canonical: Buffer;
  /** The same chunk is in all copies. */
  readonly isShared: boolean;
}

/** Bytes of an encoded line of 76 characters. */
const LINE_BYTES = 57;
/** Shorter pieces are cheaper to copy than to store separately. */
const MIN_SHARED = 4_096;

/**
 * Encodes the HTML of many copies that differ in a few pieces. Shared pieces are encoded, canonicalized, hashed and stored
 * in memory once, because copies refer to the same chunks.
 */
export class SharedBody {
  readonly #encoded = new Map<string, string>();
  readonly #chunks = new Map<string, BodyChunk>();
  readonly #bytes = new Map<number, Buffer>();
  #prefix: { readonly length: number; readonly hash: Hash } | undefined;

  constructor(
    private readonly encoding: EncodedText['encoding'],
    private readonly head: string,
    private readonly tail: string,
  ) {}

  /** The body of one copy; pieces with an even index are the same in all copies. */
  copy(pieces: readonly string[]): BodyChunk[] {
    const head = this.#chunk('head', () => this.head);
    return this.encoding === 'base64' ? this.#base64(head, pieces) : this.#quotedPrintable(head, pieces);
  }

  /** The SHA-256 hash of the canonical form of a copy. */
  hashOf(chunks: readonly BodyChunk[]): string {
    this.#prefix ??= hashOfShared(chunks);
    const hash = this.#prefix.hash.copy();
    for (const { canonical } of chunks.slice(this.#prefix.length)) hash.update(canonical);
    return hash.digest('base64');
  }

  #quotedPrintable(head: BodyChunk, pieces: readonly string[]): BodyChunk[] {
    const chunks = [head];
    let pending = '';
    pieces.forEach((piece, index) => {
      if (index % 2 === 0 && piece.length >= MIN_SHARED) {
        if (pending !== '') chunks.push(chunkOf(pending));
        pending = '';
        chunks.push(this.#chunk(`${index}`, () => quotedPrintablePiece(piece)));
      } else if (piece !== '') {
        pending +=
          index % 2 === 0 ? this.#once(`${index}`, () => quotedPrintablePiece(piece)) : quotedPrintablePiece(piece);
      }
    });
    return [...chunks, ...this.#end(pending)];
  }

  #base64(head: BodyChunk, pieces: readonly string[]): BodyChunk[] {
    const chunks = [head];
    let rest: Uint8Array = Buffer.alloc(0);
    pieces.forEach((piece, index) => {
      const bytes = index % 2 === 0 ? this.#bytesOf(piece, index) : linesOf(piece);
      // The position in the line is the same in every copy, because the pieces in between have the same lengths.
      const missing = (LINE_BYTES - (rest.length % LINE_BYTES)) % LINE_BYTES;
      const end = bytes.length - ((bytes.length - missing) % LINE_BYTES);
      if (index % 2 !== 0 || bytes.length < MIN_SHARED) {
        rest = Buffer.concat([rest, bytes]);
        return;
      }
      const first = Buffer.concat([rest, bytes.subarray(0, missing)]);
      if (first.length > 0) chunks.push(chunkOf(`${base64(first)}\r\n`));
      chunks.push(this.#chunk(`${index} ${missing}`, () => `${base64(bytes.subarray(missing, end))}\r\n`));
      rest = bytes.subarray(end);
    });
    return [...chunks, ...this.#end(base64(Buffer.from(rest)))];
  }

  /** A long tail, such as one with files, is shared as well; its first line continues the last piece. */
  #end(last: string): BodyChunk[] {
    if (this.tail.length < MIN_SHARED) return [chunkOf(last + this.tail)];
    const lineEnd = this.tail.indexOf('\r\n') + 2;
    return [chunkOf(last + this.tail.slice(0, lineEnd)), this.#chunk('tail', () => this.tail.slice(lineEnd))];
  }

  #bytesOf(piece: string, index: number): Buffer {
    const bytes = this.#bytes.get(index) ?? linesOf(piece);
    this.#bytes.set(index, bytes);
    return bytes;
  }

  #once(key: string, encode: () => string): string {
    const encoded = this.#encoded.get(key) ?? encode();
    this.#encoded.set(key, encoded);
    return encoded;
  }

  #chunk(key: string, encode: () => string): BodyChunk {
    const chunk = this.#chunks.get(key) ?? { ...chunkOf(encode()), isShared: true };
    this.#chunks.set(key, chunk);
    return chunk;
  }
}

function hashOfShared(chunks: readonly BodyChunk[]): { length: number; hash: Hash } {
  const length = chunks.findIndex(({ isShared }) => !isShared);
  const hash = createHash('sha256');
  for (const { canonical } of chunks.slice(0, length)) hash.update(canonical);
  return { length, hash };
}

function chunkOf(lines: string): BodyChunk {
  const bytes = Buffer.from(lines, 'latin1');
  return { bytes, canonical: canonicalLines(bytes), isShared: false };
}
