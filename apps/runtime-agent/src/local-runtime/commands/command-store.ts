import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const commandRecord = z.object({
  /** Unix milliseconds. */
  deadline: z.number(),
  end: z.object({ exitCode: z.int().nullable(), reason: z.string().nullable() }).optional(),
});

export type CommandRecord = Readonly<z.infer<typeof commandRecord>>;

/** Retention of records after the deadline. The control plane records the end of a command much earlier. */
const KEPT_MS = 7 * 24 * 60 * 60_000;

/**
 * A file for each command below `<platform home>/commands`. It is written before the command is started, so that a
 * repeated order never starts the command twice.
 */
export class CommandStore {
  readonly #folder: string;

  constructor(platformHome: string) {
    this.#folder = join(platformHome, 'commands');
  }

  async read(webServiceId: string, id: string): Promise<CommandRecord | undefined> {
    const text = await readFile(this.#fileOf(webServiceId, id), 'utf8').catch(unlessMissing);
    return text === undefined ? undefined : commandRecord.parse(JSON.parse(text));
  }

  /** Resolves when the record is on disk. Replaces an earlier record atomically. */
  async write(webServiceId: string, id: string, record: CommandRecord): Promise<void> {
    const path = this.#fileOf(webServiceId, id);
    await mkdir(join(this.#folder, webServiceId), { recursive: true, mode: 0o700 });
    const draft = `${path}.draft`;
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(JSON.stringify(record));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  }

  async removeOf(webServiceId: string): Promise<void> {
    await rm(join(this.#folder, checked(webServiceId)), { recursive: true, force: true });
  }

  /** Deletes old records. */
  async sweep(nowMs: number): Promise<void> {
    for (const webServiceId of (await readdir(this.#folder).catch(unlessMissing)) ?? [])
      for (const file of (await readdir(join(this.#folder, webServiceId)).catch(unlessMissing)) ?? []) {
        const record = await this.read(webServiceId, file.replace(/\.json$/, '')).catch(() => undefined);
        if (record && record.deadline + KEPT_MS < nowMs) await rm(join(this.#folder, webServiceId, file));
      }
  }

  #fileOf(webServiceId: string, id: string): string {
    return join(this.#folder, checked(webServiceId), `${checked(id)}.json`);
  }
}

const checked = (id: string): string => {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(id)) throw new Error(`${id} is not a valid id`);
  return id;
};

const unlessMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
};
