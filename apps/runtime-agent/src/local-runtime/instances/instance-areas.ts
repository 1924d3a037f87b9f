import { existsSync } from 'node:fs';
import { unlinkedBytes } from '../../infrastructure/disk.js';
import { type AreaLevel, filesFor, levelAt, levelOf } from '../sandbox/areas/area-level.js';
import type { ConfinedPlace } from './confinement.js';
import { areaImage } from './instance-environment.js';
import type { InstanceHost } from './instance-host.js';
import type { InstanceRecord } from './instance-record.js';

const MIB = 2 ** 20;

/** Paths of the areas inside every sandbox. */
const INSIDE = { files: '/tmp', disk: '/data' };

/** Bytes and files that a folder of the machine occupies. */
export type Usage = ReadonlyMap<string, { readonly bytes: number; readonly files: number }>;

const NOTHING = { bytes: 0, files: 0 };

type AreaName = 'files' | 'disk';

interface Area {
  readonly name: AreaName;
  readonly folder: string;
  readonly bytes: number;
  /** Whether the kernel refuses writes above the limit; otherwise the instance must be ended. */
  readonly isLimited: boolean;
}

/** The writable areas of an instance, and how full they are. */
export class InstanceAreas {
  readonly #areas: readonly Area[];
  readonly #announced = new Map<AreaName, string>();
  #full: string | undefined;

  constructor(
    host: InstanceHost,
    record: InstanceRecord,
    private readonly place: ConfinedPlace,
    private readonly logLine: (line: string) => void,
  ) {
    const folder = host.instanceRecords.folderOf(record.id);
    const { disk, webServiceId } = record;
    const isLimited = existsSync(areaImage(folder));
    this.#areas = [
      { name: 'files', folder, bytes: host.limits.diskBytes, isLimited },
      ...(disk
        ? ([{ name: 'disk', folder: host.disks.folderOf(webServiceId), bytes: disk.sizeMib * MIB, isLimited }] as const)
        : []),
    ];
  }

  /** The folders whose usage `check` needs. */
  get measured(): readonly string[] {
    return this.#areas.filter(({ isLimited }) => !isLimited).map(({ folder }) => folder);
  }

  /** Why writes fail, while an area is full. */
  get full(): string | undefined {
    return this.#full;
  }

  /** Logs a full or nearly full area once. @returns why the instance must end; undefined if it need not. */
  async check(used: Usage = new Map()): Promise<string | undefined> {
    let full: string | undefined;
    for (const area of this.#areas) {
      const level = area.isLimited ? await this.#levelInside(INSIDE[area.name]) : await this.#measuredLevel(area, used);
      if (!level) continue;
      if (level.isFull && !area.isLimited) return reasonToEnd(area, level);
      if (level.isFull) full ??= describe(area, level);
      this.#announce(area, level);
    }
    this.#full = full;
    return undefined;
  }

  #announce(area: Area, level: AreaLevel): void {
    const line = describe(area, level);
    const about = level.isFull ? 'full' : level.isNearlyFull ? 'nearly full' : '';
    if (about === (this.#announced.get(area.name) ?? '')) return;
    this.#announced.set(area.name, about);
    if (about === 'full' || (about === 'nearly full' && area.name === 'disk')) this.logLine(line);
  }

  /** Through a process in the sandbox, because the image is mounted only there. */
  async #levelInside(path: string): Promise<AreaLevel | undefined> {
    for (const pid of (await this.place.pids()).toReversed()) {
      const level = await levelAt(`/proc/${pid}/root${path}`).catch(() => undefined);
      if (level) return level;
    }
    return undefined;
  }

  async #measuredLevel({ name, folder, bytes }: Area, used: Usage): Promise<AreaLevel> {
    const own = used.get(folder) ?? NOTHING;
    if (name === 'disk') return levelOf(own, bytes);
    // Deleted files that are still open may be in the folder of the instance or on its disk.
    const disk = this.#areas.find(area => area.name === 'disk');
    const diskFree = disk ? Math.max(0, disk.bytes - (used.get(disk.folder) ?? NOTHING).bytes) : 0;
    const unlinked = await unlinkedBytes(await this.place.pids(), folder);
    return levelOf({ ...own, bytes: own.bytes + Math.max(0, unlinked - diskFree) }, bytes);
  }
}

const describe = ({ name, bytes, isLimited }: Area, level: AreaLevel): string => {
  const limit = limitOf(bytes, level);
  const advice = name === 'disk' ? 'Delete files or enlarge the disk' : 'Delete files';
  const what = name === 'disk' ? 'The disk is' : 'The home and temporary files are';
  if (level.isFull) return `${what} full (${limit}): writes fail. ${advice}.`;
  const consequence = isLimited ? 'at its limit writes fail' : 'above its limit the instance is restarted';
  return `${what} ${level.percent} % full (${limit}). ${advice}: ${consequence}.`;
};

const reasonToEnd = ({ name, bytes }: Area, level: AreaLevel): string =>
  name === 'disk'
    ? `stores more than ${limitOf(bytes, level)} on its disk; enlarge the disk, or delete files when the application starts`
    : `wrote more than ${limitOf(bytes, level)}`;

const limitOf = (bytes: number, { of }: AreaLevel): string =>
  of === 'files' ? `${filesFor(bytes)} files` : `${Math.round(bytes / MIB)} MiB`;
