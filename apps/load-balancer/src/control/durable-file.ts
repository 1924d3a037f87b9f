import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import pLimit from 'p-limit';
import type { z } from 'zod';

/**
 * A small JSON file that is replaced atomically: new content is written to a temporary file and synced before the
 * rename. Saves run one at a time.
 */
export class DurableFile<T> {
  readonly #oneAtATime = pLimit(1);

  constructor(
    private readonly path: string,
    private readonly shape: z.ZodType<T>,
    private readonly onUnreadable: (reason: string) => void,
  ) {}

  /** Undefined if the file does not exist or is not valid; an invalid file is renamed for inspection. */
  async load(): Promise<T | undefined> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') this.onUnreadable(error.message);
      return undefined;
    });
    if (text === undefined) return undefined;
    try {
      return this.shape.parse(JSON.parse(text));
    } catch (error) {
      this.onUnreadable(error instanceof Error ? error.message : String(error));
      await rename(this.path, `${this.path}.unreadable`).catch(() => undefined);
      return undefined;
    }
  }

  /** Resolves once the content would survive a power failure. */
  save(content: T): Promise<void> {
    return this.#oneAtATime(() => this.#write(JSON.stringify(content)));
  }

  async #write(text: string): Promise<void> {
    const beside = `${this.path}.next`;
    const file = await open(beside, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, this.path);
    const folder = await open(dirname(this.path), 'r');
    await folder.sync().finally(() => folder.close());
  }
}
