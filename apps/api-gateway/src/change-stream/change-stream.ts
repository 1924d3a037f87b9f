import { PassThrough, type Readable } from 'node:stream';

const HEARTBEAT_MS = 15_000;

export interface ChangeStreamOptions {
  /** The reason why the reader may no longer read; checked with each heartbeat. */
  readonly isOver: () => Promise<string | undefined>;
  readonly heartbeatMs?: number;
}

/**
 * One stream of server-sent events that say which resources have changed. A slow reader gets the changes since the last event
 * as one event: what changed is kept once, so a stream needs little memory.
 */
export class ChangeStream {
  readonly #body = new PassThrough();
  readonly #changed = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  readonly #ended: (() => void)[] = [];
  #isWaiting = false;
  #isOver = false;

  constructor(private readonly options: ChangeStreamOptions) {
    this.#body.on('error', () => undefined);
    this.#body.on('drain', () => this.#continue());
    this.#write('retry: 3000\n\nevent: open\ndata: {}\n\n');
    this.#timer = setInterval(() => void this.#beat(), options.heartbeatMs ?? HEARTBEAT_MS).unref();
  }

  get body(): Readable {
    return this.#body;
  }

  changed(topics: readonly string[]): void {
    for (const topic of topics) this.#changed.add(topic);
    this.#continue();
  }

  onEnd(listener: () => void): void {
    this.#ended.push(listener);
  }

  /** Ends the stream; with a reason the reader does not connect again. */
  end(reason?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#body.end(reason === undefined ? '' : `event: end\ndata: ${JSON.stringify({ reason })}\n\n`);
    for (const listener of this.#ended) listener();
  }

  #continue(): void {
    if (this.#isOver || this.#changed.size === 0) return;
    if (this.#isWaiting && this.#body.writableNeedDrain) return;
    const topics = [...this.#changed];
    this.#changed.clear();
    this.#write(`event: change\ndata: ${JSON.stringify({ topics })}\n\n`);
  }

  async #beat(): Promise<void> {
    // Written also when nobody reads, so that a broken connection is noticed; a stalled reader is disconnected.
    if (this.#body.writableNeedDrain) return this.end();
    this.#write(': heartbeat\n\n');
    const reason = await this.options.isOver();
    if (reason !== undefined) this.end(reason);
  }

  #write(text: string): void {
    if (!this.#isOver) this.#isWaiting = !this.#body.write(text);
  }
}
