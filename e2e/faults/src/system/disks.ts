import { join } from 'node:path';
import { FillableDisk } from '@postern/testing';

/** What can have a full disk of its own. */
export type DiskName = 'everything' | 'NATS' | 'PostgreSQL';

/** The file systems of a run: the home, and inside it those of NATS and of the PostgreSQL clusters. */
export class Disks {
  private constructor(
    private readonly home: FillableDisk,
    private readonly parts: Readonly<Partial<Record<Exclude<DiskName, 'everything'>, FillableDisk>>>,
  ) {}

  /** Without clusters, PostgreSQL is in the home, and an empty disk of its own would never be found full. */
  static create(home: string, hasClusters: boolean): Disks {
    // The outer one first, which would hide the others.
    const outer = FillableDisk.create(home);
    const parts = {
      NATS: FillableDisk.create(join(home, 'nats')),
      ...(hasClusters && { PostgreSQL: FillableDisk.create(join(home, 'clusters')) }),
    };
    return new Disks(outer, parts);
  }

  /** Why the disks cannot be filled; undefined if they can. */
  get unavailable(): string | undefined {
    return this.home.unavailable;
  }

  get folder(): string {
    return this.home.folder;
  }

  /** The folders whose full disks must be noticed. That of NATS stores so little that one free page is a large part of it. */
  foundFull(name: DiskName): readonly string[] {
    return this.#of(name)
      .filter(disk => disk !== this.parts.NATS)
      .map(({ folder }) => folder);
  }

  fill(name: DiskName): void {
    for (const disk of this.#of(name)) disk.fill();
  }

  free(name: DiskName): void {
    for (const disk of this.#of(name)) disk.free();
  }

  #of(name: DiskName): readonly FillableDisk[] {
    return name === 'everything' ? [this.home, ...Object.values(this.parts)] : [this.parts[name] ?? this.home];
  }
}
