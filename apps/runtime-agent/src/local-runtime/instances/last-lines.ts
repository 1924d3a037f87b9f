import { FailureLines } from '../../infrastructure/failure-lines.js';
import { LineSplitter, type Redactor } from '../logs/line-splitter.js';

const LINE_BYTES = 500;

/** The lines of a stream that tell why its process ended, with secrets masked, for the failure message of an instance. */
export class LastLines {
  readonly #lines = new FailureLines();
  readonly #splitter: LineSplitter;

  constructor(redactor: Redactor) {
    this.#splitter = new LineSplitter(redactor, LINE_BYTES, line => this.#lines.add(line));
  }

  push(chunk: Uint8Array): void {
    this.#splitter.push(chunk);
  }

  /** To be called once, when the stream has ended. */
  end(): void {
    this.#splitter.end();
  }

  get lines(): readonly string[] {
    return this.#lines.all;
  }
}
