import { StringDecoder } from 'node:string_decoder';

/** Masks secrets in a text that comes in pieces; it may hold back an end that could become one. */
export interface Redactor {
  push(chunk: string): string;
  end(): string;
}

export const CUT_MARK = ' … [cut]';

/**
 * Makes lines of one stream's bytes, however they were cut: characters and secrets across the cuts come out whole.
 * A line that is too long is given at once with a mark, and the rest of it is dropped, so that memory stays bounded.
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

  /** What is left without a line end becomes a line. */
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

/** A UTF-16 unit takes one to three bytes, so most lines need no counting. */
const isLonger = (text: string, bytes: number): boolean =>
  text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes);

/** The longest beginning of at most so many bytes that splits no character. */
const cutTo = (text: string, bytes: number): string => {
  const encoded = Buffer.from(text.slice(0, bytes));
  let end = Math.min(bytes, encoded.length);
  while (end > 0 && end < encoded.length && (encoded[end]! & 0xc0) === 0x80) end -= 1;
  return encoded.toString('utf8', 0, end);
};
