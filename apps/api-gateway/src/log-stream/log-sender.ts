import { setTimeout as pause } from 'node:timers/promises';
import { type followLogs, type followRun, Refusal, type ReplyOf } from '@postern/contracts';
import type { StreamBudget } from './log-streams.js';
import type { StreamWriter } from './stream-writer.js';

const POLL_MS = 1_000;
/** Maximum interval between two polls of a silent log. */
const LONGEST_POLL_MS = 3_000;
const SLOWER_EACH_TIME = 1.25;
const HEARTBEAT_MS = 15_000;

export type LogPage = ReplyOf<typeof followLogs> | ReplyOf<typeof followRun>;

export interface LogSenderParts {
  readonly writer: StreamWriter;
  readonly budget: StreamBudget;
  /** Reads the lines after an id. */
  readonly read: (after: string) => Promise<LogPage>;
  readonly isOver: () => Promise<string | undefined>;
  readonly checkMs: number;
  /** Aborted when the gateway shuts down. */
  readonly closing: AbortSignal;
  /** Aborted when the connection ends. */
  readonly disconnected: AbortSignal;
}

/** Sends one log: reads the next page once the reader has received the previous one and the budget allows it. */
export class LogSender {
  readonly #signal: AbortSignal;
  #pollMs = POLL_MS;
  #sentAt = Date.now();
  #checkedAt = Date.now();

  constructor(private readonly parts: LogSenderParts) {
    this.#signal = AbortSignal.any([parts.closing, parts.disconnected]);
  }

  /** Resolves once the stream has ended; never rejects. */
  async send(first: LogPage): Promise<void> {
    const { writer } = this.parts;
    try {
      let page = first;
      let isTaken = await this.#write(`retry: 2000\n\n${eventsOf(page)}`);
      while (isTaken && !this.#signal.aborted) {
        if ('is_over' in page && page.is_over) return writer.end(endOf('the run has ended'));
        await this.#waitAfter(page);
        if (this.#signal.aborted) break;
        const reason = await this.#reasonToEnd();
        if (reason !== undefined) return writer.end(endOf(reason));
        page = await this.#pageAfter(page);
        isTaken = await this.#sendPage(page);
      }
      writer.end(isTaken ? '' : stalledAt(page.next));
    } catch (error) {
      writer.end(isGone(error) ? endOf(error.message) : ': closed after an error\n\n');
    }
  }

  /** Waits until the budget allows more, and for the poll interval if the log was read to its end. */
  async #waitAfter({ has_more: hasMore, lines }: LogPage): Promise<void> {
    const idleMs = lines.length > 0 ? POLL_MS : Math.min(this.#pollMs * SLOWER_EACH_TIME, LONGEST_POLL_MS);
    this.#pollMs = idleMs;
    const waitMs = Math.max(this.parts.budget.waitMs(), hasMore ? 0 : idleMs);
    if (waitMs > 0) await pause(waitMs, undefined, { signal: this.#signal }).catch(() => undefined);
  }

  async #reasonToEnd(): Promise<string | undefined> {
    if (Date.now() - this.#checkedAt < this.parts.checkMs) return undefined;
    this.#checkedAt = Date.now();
    return this.parts.isOver();
  }

  /** The next page; an empty one while the runtime or a service is unavailable. */
  async #pageAfter({ next }: LogPage): Promise<LogPage> {
    try {
      return await this.parts.read(next);
    } catch (error) {
      if (isGone(error)) throw error;
      return { lines: [], next, has_more: false, is_incomplete: false };
    }
  }

  async #sendPage(page: LogPage): Promise<boolean> {
    if (page.lines.length > 0) return this.#write(eventsOf(page));
    return Date.now() - this.#sentAt < HEARTBEAT_MS || this.#write(': heartbeat\n\n');
  }

  #write(part: string): Promise<boolean> {
    this.#sentAt = Date.now();
    this.parts.budget.spend(Buffer.byteLength(part));
    return this.parts.writer.write(part);
  }
}

const isGone = (error: unknown): error is Refusal =>
  Refusal.is(error) && (error.code === 'web_service_not_found' || error.code === 'run_not_found');

const INCOMPLETE = ': lines may be missing here, because old lines were deleted before they were read\n\n';

const eventsOf = ({ lines, is_incomplete: isIncomplete }: LogPage): string =>
  `${isIncomplete ? INCOMPLETE : ''}${lines.map(({ id, ...line }) => `id: ${id}\ndata: ${JSON.stringify(line)}\n\n`).join('')}`;

const endOf = (reason: string): string => `event: end\ndata: ${JSON.stringify({ reason })}\n\n`;

/** A comment, not an `end` event, because clients reconnect after it and continue at the same position. */
const stalledAt = (id: string): string =>
  `: closed, because nothing was read for too long. Connect again with Last-Event-ID: ${id}\n\n`;
