import { type ReplyOf, type RequestOf, writeRuntimeLog } from '@postern/contracts';
import { Handles } from '@postern/messaging';
import { Runtime } from '@postern/runtime';

const REMEMBERED = 2_000;
/** Tolerated clock difference to the control plane, and the number of log lines searched for an earlier write. */
const CLOCKS_DIFFER_S = 60;
const MAX_SEARCHED_LINES = 500;

/** Adds the platform's own messages to the log of a web service, each once. */
@Handles(writeRuntimeLog)
export class WriteLog {
  readonly #written = new Map<string, Promise<void>>();

  constructor(private readonly runtime: Runtime) {}

  /** Replies when the lines are on disk. */
  async execute(request: RequestOf<typeof writeRuntimeLog>): Promise<ReplyOf<typeof writeRuntimeLog>> {
    const known = this.#written.get(request.write_id);
    const writing = known ?? this.#write(request);
    this.#written.set(request.write_id, writing);
    try {
      await writing;
    } catch (error) {
      this.#written.delete(request.write_id);
      throw error;
    }
    for (const oldest of this.#written.keys()) {
      if (this.#written.size <= REMEMBERED) break;
      this.#written.delete(oldest);
    }
    return {};
  }

  async #write(request: RequestOf<typeof writeRuntimeLog>): Promise<void> {
    const { web_service_id, instance, redact, chunks, first_sent_at } = request;
    // An earlier process may have written the lines and been killed before its reply.
    if (first_sent_at !== undefined && (await this.#isThere(request, first_sent_at))) return;
    const writer = this.runtime.logWriter(web_service_id, instance, redact);
    for (const { stream, text } of chunks) writer.write(stream, text);
    await writer.close();
  }

  async #isThere(request: RequestOf<typeof writeRuntimeLog>, firstSentAt: string): Promise<boolean> {
    const { web_service_id, instance, redact, chunks } = request;
    const since = Date.parse(firstSentAt) / 1_000 - CLOCKS_DIFFER_S;
    const lines = await this.runtime.logs(web_service_id, { tail: MAX_SEARCHED_LINES, since });
    const there = new Set(lines.filter(line => line.instance === instance).map(({ message }) => message));
    const messages = chunks.flatMap(({ text }) => text.split('\n')).filter(message => message !== '');
    // Masked lines are not compared; a duplicate line is better than a lost one.
    const isPlain = (message: string) => redact.every(secret => !message.includes(secret));
    return messages.length > 0 && messages.every(message => isPlain(message) && there.has(message));
  }
}
