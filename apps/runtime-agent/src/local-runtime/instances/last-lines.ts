import { LineSplitter, type Redactor } from '../logs/line-splitter.js';

const LINES = 5;
const LINE_BYTES = 500;

/** The last lines of a stream with secrets masked, for the failure message of an instance. */
export class LastLines {
  readonly #lines: string[] = [];
  readonly #splitter: LineSplitter;

  constructor(redactor: Redactor) {
    this.#splitter = new LineSplitter(redactor, LINE_BYTES, line => {
      if (line.trim() !== '') this.#lines.push(line);
      if (this.#lines.length > LINES) this.#lines.shift();
    });
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  /** To be called once, when the stream has ended. */
  end(): void {
    this.#splitter.end();
  }

  get lines(): readonly string[] {
    return this.#lines;
  }
}
