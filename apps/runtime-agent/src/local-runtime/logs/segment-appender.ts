import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { deleteOutlived, nextSegment, type Retention, segmentsIn } from './segments.js';

export interface SegmentBounds extends Retention {
  /** A new segment begins once a segment has reached this size. */
  readonly segmentBytes: number;
}

const LINE_END = 0x0a;

/** Appends batches of complete lines to the newest segment of a folder. Calls must not overlap. */
export class SegmentAppender {
  #file: FileHandle | undefined;
  #size = 0;

  constructor(
    private readonly folder: string,
    private readonly bounds: SegmentBounds,
  ) {}

  /** Rejects on a write error. Part of the batch may then be on disk, and the next call opens the file again. */
  async append(batch: string): Promise<void> {
    try {
      const file = await this.#open();
      const bytes = Buffer.from(batch);
      for (let written = 0; written < bytes.length; ) {
        const { bytesWritten } = await file.write(bytes, written);
        written += bytesWritten;
        this.#size += bytesWritten;
      }
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
  }

  async #open(): Promise<FileHandle> {
    if (this.#file && this.#size < this.bounds.segmentBytes && (await isLinked(this.#file))) return this.#file;
    await this.close();
    await mkdir(this.folder, { recursive: true });
    const segments = await segmentsIn(this.folder);
    const last = segments.at(-1);
    const resumed = last && (await this.#resume(last.path));
    if (resumed) return resumed;
    const { path } = nextSegment(this.folder, last, Date.now());
    this.#file = await open(path, 'a', 0o640);
    this.#size = (await this.#file.stat()).size;
    await deleteOutlived(this.folder, this.bounds, Date.now());
    return this.#file;
  }

  /** Continues the last segment. Ends a torn line, which a kill or a full disk has left, with a line end. */
  async #resume(path: string): Promise<FileHandle | undefined> {
    const file = await open(path, 'a+').catch(() => undefined);
    if (!file) return undefined;
    const { size } = await file.stat();
    if (size >= this.bounds.segmentBytes) {
      await file.close();
      return undefined;
    }
    this.#file = file;
    this.#size = size;
    if (size === 0) return file;
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    if (buffer[0] !== LINE_END) await file.write('\n');
    return file;
  }
}

/** False if another process has deleted the file, so that further writes would be lost. */
const isLinked = async (file: FileHandle): Promise<boolean> => (await file.stat()).nlink > 0;
