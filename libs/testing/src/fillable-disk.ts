import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, statfsSync } from 'node:fs';

const SIZE_BYTES = 6 * 1024 ** 3;
const PAGE_BYTES = 4_096;
const MAX_SPARE_PAGES = 1_024;

/** A folder that is a file system of its own if this process may mount one, so that a test can fill it. */
export class FillableDisk {
  private constructor(
    readonly folder: string,
    /** Why the disk cannot be filled; undefined if it can. */
    readonly unavailable: string | undefined,
  ) {}

  static create(folder: string): FillableDisk {
    mkdirSync(folder, { recursive: true });
    // Web services and builds run as other users if this process runs as root.
    chmodSync(folder, 0o755);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_BYTES},mode=755`, 'none', folder], { stdio: 'pipe' });
      return new FillableDisk(folder, undefined);
    } catch {
      return new FillableDisk(folder, 'a file system of its own can be mounted by root only');
    }
  }

  /** Leaves a few pages at most. Concurrent writes can use space before `mount` runs, which then refuses a size below the used space. */
  fill(): void {
    for (let sparePages = 1; ; sparePages *= 2) {
      const { blocks, bfree, bsize } = statfsSync(this.folder);
      try {
        this.resize(Math.ceil(((blocks - bfree) * bsize) / PAGE_BYTES + sparePages) * PAGE_BYTES);
        return;
      } catch (error) {
        if (sparePages >= MAX_SPARE_PAGES) throw error;
      }
    }
  }

  free(): void {
    this.resize(SIZE_BYTES);
  }

  private resize(bytes: number): void {
    execFileSync('mount', ['-o', `remount,size=${bytes}`, this.folder], { stdio: 'pipe' });
  }
}

/** Unmounts the folder if it is a mount point. */
export const unmountFolder = (folder: string): void => {
  try {
    execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
  } catch {
    // Nothing was mounted.
  }
};
