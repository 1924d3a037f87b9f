import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Records which process supervises the instances of a home. Leadership is decided elsewhere; with this file a former
 * leader detects that another process supervises the instances now.
 */
export class HomeOwnership {
  readonly #token = randomUUID();
  readonly #file: string;

  constructor(private readonly platformHome: string) {
    this.#file = join(platformHome, 'runtime-owner');
  }

  async take(): Promise<void> {
    await mkdir(this.platformHome, { recursive: true });
    const draft = `${this.#file}.${this.#token}`;
    await writeFile(draft, this.#token);
    await rename(draft, this.#file);
  }

  /** @throws if the file cannot be read. */
  async isMine(): Promise<boolean> {
    const owner = await readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    return owner === this.#token;
  }

  /** @throws if another process supervises the instances. */
  async whileMine<T>(work: () => Promise<T>): Promise<T> {
    if (!(await this.isMine())) throw new Error('another process supervises the instances now');
    return work();
  }
}
