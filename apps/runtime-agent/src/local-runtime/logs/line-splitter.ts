import { StringDecoder } from 'node:string_decoder';

/** Masks secrets in a text that arrives in chunks. May hold back an end that can become a secret. */
export interface Redactor {
  push(chunk: string): string;
  end(): string;
}

export const CUT_MARK = ' … [cut]';

/**
 * Splits the bytes of one stream into lines. Characters and secrets may span chunks. A line that is too long is emitted
 * at once with a mark, and the rest of it is dropped, so that memory stays bounded.
 */
export class LineSplitter {
  readonly #decoder = new StringDecoder('utf8');
  #open = '';
  #skipping = false;

  constructor(
    private readonly redactor: Redactor,
    private readonly maxLineBytes: number,
    private readonly onLine: (line: string) => void,
  ) {}

  push(chunk: Uint8Array | string): void {
    const text = typeof chunk === 'string' ? chunk : this.#decoder.write(chunk);
    this.#take(this.redactor.push(text));
  }

  /** Emits the remaining text without a line end as a line. */
  end(): void {
    this.#take(this.redactor.push(this.#decoder.end()) + this.redactor.end());
    if (this.#open !== '') this.#emit(this.#open);
    this.#open = '';
    this.#skipping = false;
  }

  #take(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      this.#grow(text.slice(start, end));
      if (!this.#skipping) this.#emit(this.#open);
      this.#open = '';
      this.#skipping = false;
      start = end + 1;
    }
    this.#grow(text.slice(start));
  }

  #grow(piece: string): void {
    if (this.#skipping || piece === '') return;
    this.#open += piece;
    if (!isLonger(this.#open, this.maxLineBytes)) return;
    this.onLine(cutTo(this.#open, this.maxLineBytes) + CUT_MARK);
    this.#open = '';
    this.#skipping = true;
  }

  #emit(line: string): void {
    this.onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
  }
}

/** A UTF-16 code unit takes one to three bytes in UTF-8, so most lines need no byte count. */
const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);

/** The longest prefix of at most `bytes` bytes that splits no character. */
const cutTo = (text: string, bytes: number): string => {
  const encoded = Buffer.from(text.slice(0, bytes));
  let end = Math.min(bytes, encoded.length);
  while (end > 0 && end < encoded.length && (encoded[end]! & 0xc0) === 0x80) end -= 1;
  return encoded.toString('utf8', 0, end);
};
