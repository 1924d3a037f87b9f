import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogLine, LogPage, LogPageQuery, LogQuery, LogStream, LogWriter } from '@postern/runtime';
import { readBackwards } from './backward-reader.js';
import { readForwards } from './forward-reader.js';
import { ignoreMissing } from './ignore-missing.js';
import { countLines } from './line-counts.js';
import { LineSplitter, type Redactor } from './line-splitter.js';
import { deleteOutlived, segmentsIn } from './segments.js';
import { ServiceLog, type ServiceLogBounds } from './service-log.js';

export interface LogStoreBounds extends ServiceLogBounds {
  /** Maximum size of the message of one line. Longer ones are cut with a mark. */
  readonly maxLineBytes: number;
}

const BOUNDS: LogStoreBounds = {
  segmentBytes: 4 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  maxAgeMs: 14 * 24 * 60 * 60 * 1_000,
  maxLineBytes: 16 * 1024,
  linesPerSecond: 2_000,
  bytesPerSecond: 2 * 1024 * 1024,
  pendingBytes: 8 * 1024 * 1024,
  batchMs: 100,
};

/**
 * Stores the log lines of all web services on this machine's disk, below `<platform home>/logs`. Any number of
 * processes can read while others write. A full disk or a flood drops lines, which are counted, and causes no error.
 */
export class LogStore {
  readonly #folder: string;
  readonly #bounds: LogStoreBounds;
  readonly #open = new Map<string, { readonly log: ServiceLog; writers: number }>();
  readonly #removed = new Set<string>();

  constructor(
    platformHome: string,
    private readonly redactor: (secrets: readonly string[]) => Redactor,
    bounds: Partial<LogStoreBounds> = {},
  ) {
    this.#folder = join(platformHome, 'logs');
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /**
   * Returns a writer for the output of one instance or build. Lines are on disk after about 100 ms; all of them after
   * `close`.
   */
  writer(webServiceId: string, instance: string, secrets: readonly string[]): LogWriter {
    if (this.#removed.has(webServiceId)) return NOWHERE;
    const { log } = this.#acquire(webServiceId);
    const splitters = new Map<LogStream, LineSplitter>();
    const splitterOf = (stream: LogStream): LineSplitter => {
      const known = splitters.get(stream);
      if (known) return known;
      const onLine = (message: string) => {
        if (!this.#removed.has(webServiceId)) log.add({ timestamp: new Date(), instance, stream, message });
      };
      const made = new LineSplitter(this.redactor(secrets), this.#bounds.maxLineBytes, onLine);
      splitters.set(stream, made);
      return made;
    };
    let closing: Promise<void> | undefined;
    return {
      write: (stream, chunk) => {
        if (!closing) splitterOf(stream).push(chunk);
      },
      close: () => {
        if (closing) return closing;
        for (const splitter of splitters.values()) splitter.end();
        closing = this.#release(webServiceId);
        return closing;
      },
    };
  }

  /** The last `tail` lines of all instances, at or after `since`, oldest first. */
  async read(webServiceId: string, query: LogQuery): Promise<readonly LogLine[]> {
    const folder = this.#folderOf(webServiceId);
    await this.#open.get(webServiceId)?.log.flush();
    return readBackwards(await segmentsIn(folder), query);
  }

  /** Returns lines in the order in which they were stored. Lines that are being written are in the next page. */
  async readPage(webServiceId: string, query: LogPageQuery): Promise<LogPage> {
    const folder = this.#folderOf(webServiceId);
    const page = await readForwards(await segmentsIn(folder), query);
    return query.counted ? { ...page, counts: await countLines(folder, page.next) } : page;
  }

  /** Deletes segments beyond the retention limits, also of services that no longer write. */
  async sweep(): Promise<void> {
    for (const webServiceId of (await readdir(this.#folder).catch(ignoreMissing)) ?? [])
      await deleteOutlived(join(this.#folder, webServiceId), this.#bounds, Date.now());
  }

  /** Deletes all lines of a service, and discards its later output, also of writers that are open. */
  async remove(webServiceId: string): Promise<void> {
    this.#removed.add(webServiceId);
    await this.#open.get(webServiceId)?.log.close();
    await rm(this.#folderOf(webServiceId), { recursive: true, force: true });
  }

  /** Resolves when everything that was written is on disk. To be called at the end of the process. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ log }) => log.close()));
  }

  #folderOf(webServiceId: string): string {
    if (!/^[A-Za-z0-9-]{1,64}$/.test(webServiceId)) throw new Error(`${webServiceId} is not a valid web service id`);
    return join(this.#folder, webServiceId);
  }

  #acquire(webServiceId: string): { readonly log: ServiceLog; writers: number } {
    const known = this.#open.get(webServiceId);
    const entry = known ?? { log: new ServiceLog(this.#folderOf(webServiceId), this.#bounds), writers: 0 };
    entry.writers += 1;
    this.#open.set(webServiceId, entry);
    return entry;
  }

  /** The last writer closes the file. The entry stays if another writer was opened meanwhile. */
  async #release(webServiceId: string): Promise<void> {
    const entry = this.#open.get(webServiceId);
    if (!entry) return;
    entry.writers -= 1;
    await entry.log.flush();
    if (entry.writers > 0) return;
    await entry.log.close();
    if (entry.writers === 0) this.#open.delete(webServiceId);
  }
}

const NOWHERE: LogWriter = { write: () => {}, close: async () => {} };
