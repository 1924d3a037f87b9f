import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { StoredBackup } from '@postern/runtime';

const SUFFIX = '.zst';
const DRAFT = '.draft';
const NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The backups of databases or disks: `<backup>.zst` in a folder for each, readable only for the platform. */
export class BackupFiles {
  /** @param folderOf the folder with the backups of a database or disk. */
  constructor(private readonly folderOf: (ownerId: string) => string) {}

  /** Stores `content` completely or not at all; content larger than `mostBytes` is refused. */
  async write(
    ownerId: string,
    backupId: string,
    content: Readable,
    mostBytes: number,
    signal: AbortSignal,
  ): Promise<StoredBackup> {
    const file = this.#fileOf(ownerId, backupId);
    const folder = this.folderOf(ownerId);
    await mkdir(folder, { recursive: true });
    await chmod(folder, 0o700);
    const draft = `${file}${DRAFT}`;
    try {
      const compressed = createZstdCompress();
      const written = createWriteStream(draft, { mode: 0o600, flush: true });
      await pipeline(content, refusingBeyond(mostBytes), compressed, written, { signal });
      const stored = await digestOf(draft);
      await rename(draft, file);
      await flushFolder(folder);
      return stored;
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  /** Undefined if the backup does not exist. */
  async find(ownerId: string, backupId: string): Promise<StoredBackup | undefined> {
    const file = this.#fileOf(ownerId, backupId);
    const exists = await stat(file).catch(() => undefined);
    return exists && digestOf(file);
  }

  /** The uncompressed size of a backup. @throws if the backup is damaged. */
  async contentBytes(ownerId: string, backupId: string, signal: AbortSignal): Promise<number> {
    let bytes = 0;
    const count = async (content: Readable) => {
      for await (const chunk of content) bytes += (chunk as Buffer).length;
    };
    await this.read(ownerId, backupId, count, signal);
    return bytes;
  }

  /** Passes the content of a backup to `take`. */
  async read(
    ownerId: string,
    backupId: string,
    take: (content: Readable) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const content = createZstdDecompress();
    await Promise.all([
      pipeline(createReadStream(this.#fileOf(ownerId, backupId)), content, { signal }),
      take(content).catch(error => {
        content.destroy();
        throw error;
      }),
    ]);
  }

  /** Deletes all other backups of the database or disk. */
  async retain(ownerId: string, backupIds: ReadonlySet<string>): Promise<void> {
    const folder = this.folderOf(ownerId);
    const kept = new Set([...backupIds].map(id => `${id}${SUFFIX}`));
    for (const name of await readdir(folder).catch(() => []))
      if (!kept.has(name.replace(DRAFT, ''))) await rm(join(folder, name), { force: true });
  }

  #fileOf(ownerId: string, backupId: string): string {
    if (!NAME.test(backupId)) throw new Error('the id of a backup is a UUID');
    return join(this.folderOf(ownerId), `${backupId}${SUFFIX}`);
  }
}

const digestOf = async (file: string): Promise<StoredBackup> => {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, digest: hash.digest('hex') };
};

const refusingBeyond = (mostBytes: number): Transform => {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length;
      done(bytes > mostBytes ? new Error('the data grew while they were copied') : null, chunk);
    },
  });
};

/** Flushes the folder, because a rename is durable only after that. */
const flushFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};
