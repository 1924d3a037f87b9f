import { existsSync } from 'node:fs';
import { chmod, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseKind, DatabaseLimits } from '@postern/runtime';
import { type AreaLevel, levelAt } from '../sandbox/areas/area-level.js';
import type { DiskImages } from '../sandbox/areas/disk-images.js';
import type { DatabaseFolders, DatabaseRecord } from './database-folder.js';
import { walBytesOf } from './postgres-settings.js';
import { PENDING_WAL_BYTES } from './wal-settings.js';

const MIB = 1024 ** 2;
/** A volume with less free space gets as much in addition. */
const reserveOf = (bytes: number): number => Math.min(128 * MIB, bytes / 4);

/**
 * The file systems of databases, an image for each, whose size the kernel enforces. They are mounted for the agent, which prepares
 * and restores their data. Databases that were created without one keep their folder until they are restored.
 */
export class DatabaseVolumes {
  constructor(
    private readonly folders: DatabaseFolders,
    /** Undefined if this machine cannot mount images. */
    private readonly images: () => Promise<DiskImages | undefined>,
  ) {}

  /** Creates the volume of a database that has no data yet, and mounts it. */
  async open({ databaseId, kind }: DatabaseRecord, limits: DatabaseLimits): Promise<void> {
    const path = this.folders.imageOf(databaseId);
    const images = await this.images();
    if (images && !existsSync(path) && !existsSync(this.folders.dataOf(databaseId))) {
      const content = this.folders.volumeOf(databaseId);
      await mkdir(content, { recursive: true });
      await images.make({ path, content, bytes: volumeBytes(kind, limits), isKept: true });
    }
    await this.mount(databaseId);
  }

  /**
   * Enlarges the volume to the limits, and once beyond them if it is full, so that a server that ended for lack of space can start. No
   * process of the database runs.
   */
  async enlarge({ databaseId, kind }: DatabaseRecord, limits: DatabaseLimits): Promise<void> {
    const path = this.folders.imageOf(databaseId);
    const images = await this.images();
    if (!images || !existsSync(path)) return;
    const bytes = volumeBytes(kind, limits);
    const { freeBytes } = await levelAt(this.folders.volumeOf(databaseId));
    const wanted = freeBytes < reserveOf(bytes) ? bytes + reserveOf(bytes) : bytes;
    if (!(await images.isSmaller(path, wanted))) return;
    await this.close(databaseId);
    await images.prepare(path, wanted);
    await this.mount(databaseId);
  }

  /** Does nothing without a volume. @throws if this machine can no longer mount it. */
  async mount(databaseId: string): Promise<void> {
    const image = this.folders.imageOf(databaseId);
    if (!existsSync(image)) return;
    const images = await this.images();
    if (!images)
      throw new Error(
        'its files cannot be mounted: they were created by Postern as root on a machine with loop devices',
      );
    const volume = this.folders.volumeOf(databaseId);
    await images.share(image, volume);
    await chmod(volume, 0o711);
  }

  /** Unmounts the volume. To be called when no process of the database runs. */
  async close(databaseId: string): Promise<void> {
    const volume = this.folders.volumeOf(databaseId);
    if (existsSync(volume)) await (await this.images())?.unmount(volume);
  }

  /** How full the volume is; undefined without one. */
  async levelOf(databaseId: string): Promise<AreaLevel | undefined> {
    return existsSync(this.folders.imageOf(databaseId)) ? levelAt(this.folders.volumeOf(databaseId)) : undefined;
  }
}

/**
 * Moves the data of one database in the place of those of another, which are kept at `replaced`; completes an interrupted move. No
 * volume of either is mounted.
 */
export const moveData = async (from: DatabaseFolders, to: DatabaseFolders, databaseId: string, replaced: string) => {
  const placesIn = (folders: DatabaseFolders) => [
    folders.imageOf(databaseId),
    join(folders.pathOf(databaseId), 'data'),
  ];
  const targets = placesIn(to);
  for (const [n, ready] of placesIn(from).entries()) {
    if (!existsSync(ready)) continue;
    for (const current of targets) if (existsSync(current) && !existsSync(replaced)) await rename(current, replaced);
    await rename(ready, targets[n]!);
  }
};

/** Beyond the limit of the plan, at which the database becomes read-only, a relational one has its write-ahead log and temporary files. */
const volumeBytes = (kind: DatabaseKind, limits: DatabaseLimits): number =>
  kind === 'key_value'
    ? limits.storageBytes
    : Math.ceil(limits.storageBytes * 1.25) + 2 * walBytesOf(limits) + PENDING_WAL_BYTES;
