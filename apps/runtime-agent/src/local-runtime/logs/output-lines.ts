import { LineSplitter, type Redactor } from './line-splitter.js';

/** Longer lines are cut with a mark at once, so that memory stays bounded. */
const MAX_LINE_BYTES = 65_536;

/**
 * Splits the output of a command into lines. Each of its streams has its own lines and its own search for secrets, so that
 * output of one stream does not separate the parts of a character, line or secret of the other one.
 */
export class OutputLines {
  readonly #splitters = new Map<string, LineSplitter>();

  /** @param redactor returns a new redactor for a stream. */
  constructor(
    private readonly redactor: () => Redactor,
    private readonly onLine: (line: string) => void,
  ) {}

  push(chunk: Uint8Array, stream: 'stdout' | 'stderr'): void {
    const splitter = this.#splitters.get(stream) ?? new LineSplitter(this.redactor(), MAX_LINE_BYTES, this.onLine);
    this.#splitters.set(stream, splitter);
    splitter.push(chunk);
  }

  /** Emits the remaining text without a line end as a line. */
  end(): void {
    for (const splitter of this.#splitters.values()) splitter.end();
    this.#splitters.clear();
  }
}
