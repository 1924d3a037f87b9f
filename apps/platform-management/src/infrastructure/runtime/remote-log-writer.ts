import { randomUUID } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { type RequestInput, writeRuntimeLog } from '@postern/contracts';
import type { LogStream, LogWriter } from '@postern/runtime';
import type { RuntimeAgent } from './runtime-agent.js';

type Chunk = RequestInput<typeof writeRuntimeLog>['chunks'][number];

/** Maximum length of the text of one request, in UTF-16 code units. */
const REQUEST_LENGTH = 131_072;
/** Time limit of `close` for the remaining lines while the agent does not respond. */
const CLOSE_WITHIN_MS = 30_000;

/** Sends lines to the agent, which appends them to the log of the web service in order and once each. */
export class RemoteLogWriter implements LogWriter {
  readonly #decoders = new Map<LogStream, StringDecoder>();
  readonly #rests = new Map<LogStream, string>();
  #chunks: Chunk[] = [];
  #sending: Promise<void> = Promise.resolve();
  readonly #abort = new AbortController();
  #closed = false;

  constructor(
    private readonly agent: RuntimeAgent,
    private readonly webServiceId: string,
    readonly instance: string,
    readonly redact: readonly string[],
    private readonly onLost: (error: unknown) => void,
  ) {}

  write(stream: LogStream, chunk: Uint8Array | string): void {
    if (this.#closed) return;
    const decoder = this.#decoders.get(stream) ?? new StringDecoder('utf8');
    this.#decoders.set(stream, decoder);
    const text = (this.#rests.get(stream) ?? '') + (typeof chunk === 'string' ? chunk : decoder.write(chunk));
    const end = text.lastIndexOf('\n') + 1;
    this.#rests.set(stream, text.slice(end));
    if (end > 0) this.#add(stream, text.slice(0, end));
  }

  /** Resolves when every complete line is on disk or was discarded. */
  flush(): Promise<void> {
    return this.#sending;
  }

  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      for (const [stream, rest] of this.#rests) if (rest !== '') this.#add(stream, rest);
    }
    const timer = setTimeout(() => this.#abort.abort(new Error('the runtime agent is away')), CLOSE_WITHIN_MS);
    await this.#sending.finally(() => clearTimeout(timer));
  }

  #add(stream: LogStream, text: string): void {
    for (let at = 0; at < text.length; at += REQUEST_LENGTH)
      this.#chunks.push({ stream, text: text.slice(at, at + REQUEST_LENGTH) });
    this.#sending = this.#sending.then(() => this.#send());
  }

  async #send(): Promise<void> {
    for (let chunks = this.#take(); chunks.length > 0; chunks = this.#take()) {
      const request = {
        write_id: randomUUID(),
        web_service_id: this.webServiceId,
        instance: this.instance,
        redact: [...this.redact],
        chunks,
      };
      try {
        await this.#sendOnce(request);
      } catch (error) {
        this.onLost(error);
      }
    }
  }

  async #sendOnce(request: RequestInput<typeof writeRuntimeLog>): Promise<void> {
    const firstSentAt = new Date().toISOString();
    const first = await this.agent.request(writeRuntimeLog, request).catch(() => undefined);
    if (first) return;
    await this.agent.requestWithRetry(writeRuntimeLog, { ...request, first_sent_at: firstSentAt }, this.#abort.signal);
  }

  #take(): Chunk[] {
    let length = 0;
    const taken = this.#chunks.findIndex(({ text }, index) => {
      length += text.length;
      return index > 0 && length > REQUEST_LENGTH;
    });
    return this.#chunks.splice(0, taken === -1 ? this.#chunks.length : taken);
  }
}
